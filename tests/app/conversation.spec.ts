/** A root is a conversation: it streams, is stopped, goes on, and survives the host's end. */
import { chmod, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, type Host, playToEnd, start, test } from './app.ts'
import {
  card,
  composer,
  conversation,
  inspector,
  openAt,
  row,
  sidebar,
  transcript,
} from './places.ts'
import {
  askAndTalkScenario,
  awaitAgainScenario,
  cutShortScenario,
  longTalkScenario,
  talkScenario,
} from './scenarios.ts'

test('Stop interrupts and keeps the partial turn; a follow-up continues from there, or waits for its turn', async ({
  app,
  page,
}) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const gate = app.gate('gate')
  const { taskId } = await start(host, project, cutShortScenario(gate.command), 'Begin')
  await openAt(page, host, `/t/${taskId}`)
  const talk = conversation(page)
  await gate.reached()
  await expect(talk.getByText('This was said before the gate.')).toBeVisible()
  await expect(talk.getByRole('button', { name: 'Queue' })).toBeDisabled()

  await test.step('Stop', async () => {
    await talk.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(row(page, 'Begin').getByRole('img', { name: 'Interrupted' })).toBeVisible()
    await expect(talk.getByText(/^Run 1 was interrupted/)).toBeVisible()
    await expect(talk.getByText('The first turn is whole.')).toBeVisible()
    await expect(talk.getByText('This was said before the gate.')).toBeVisible()
    await expect(
      talk.getByText('This turn was interrupted. The partial output was saved.'),
    ).toBeVisible()
    await expect(talk.getByText('This comes after the gate.')).toBeHidden()
  })
  await test.step('what was interrupted is listed, with its cause', async () => {
    const listed = sidebar(page).getByRole('region', { name: 'Interrupted' })
    await expect(listed.getByRole('treeitem')).toHaveText([/Begin.*stopped by you/])
  })
  await test.step('a follow-up by Ctrl+Enter starts the next run', async () => {
    await composer(page).fill('Now go on')
    await composer(page).press('Control+Enter')
    await expect(talk.getByText('Again: Now go on')).toBeVisible()
    await expect(talk.getByText('Run 2', { exact: true })).toBeVisible()
    await expect(row(page, 'Begin').getByRole('img', { name: 'Completed' })).toBeVisible()
    await expect(sidebar(page).getByRole('region', { name: 'Interrupted' })).toBeHidden()
  })
  await test.step('what was typed and not sent is still there after looking elsewhere', async () => {
    await composer(page).fill('Half a thought')
    await sidebar(page).getByRole('link', { name: 'Settings' }).click()
    await row(page, 'Begin').click()
    await expect(composer(page)).toHaveValue('Half a thought')
  })
  await test.step('a follow-up that is sent while the agent works is queued, can be taken back, and follows by itself', async () => {
    const gate = app.gate('second')
    const { taskId } = await start(host, project, cutShortScenario(gate.command), 'Hold on')
    await page.goto('about:blank')
    await openAt(page, host, `/t/${taskId}`)
    await gate.reached()
    const queued = talk.getByRole('region', { name: 'Queued' })
    for (const prompt of ['First this', 'Never that']) {
      await composer(page).fill(prompt)
      await composer(page).press('Control+Enter')
      await expect(queued.getByText(prompt)).toBeVisible()
    }
    await queued.getByRole('button', { name: 'Discard' }).last().click()
    await expect(queued.getByText('Never that')).toBeHidden()
    await test.step('an edited one goes back to the field, which a reload keeps', async () => {
      await queued.getByRole('button', { name: 'Edit' }).click()
      await expect(composer(page)).toHaveValue('First this')
      await expect(queued).toBeHidden()
      await page.reload()
      await expect(composer(page)).toHaveValue('First this')
      await composer(page).press('ControlOrMeta+End')
      await composer(page).pressSequentially(', please')
      await composer(page).press('Control+Enter')
    })
    await expect(queued.getByText('First this, please')).toBeVisible()
    await gate.open()
    await expect(talk.getByText('Run 2 ended')).toBeVisible()
    await expect(talk.getByText('First this, please')).toBeVisible()
    await expect(queued).toBeHidden()
    await expect(row(page, 'Hold on').getByRole('img', { name: 'Completed' })).toBeVisible()
    await composer(page).focus()
    await page.keyboard.press('ArrowUp')
    await expect(composer(page)).toHaveValue('First this, please')
  })
})

test('a host that ends or is killed while an agent runs keeps the partial turn, and the next start lists the agent', {
  tag: '@soak',
}, async ({ app, page }) => {
  let host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const talk = conversation(page)
  for (const [title, end, cause] of [
    ['First', (one: Host) => one.stop(), /terminated/],
    ['Second', (one: Host) => one.kill(), /Shiplog quit/],
  ] as const) {
    await test.step(String(cause), async () => {
      const gate = app.gate(title)
      const { taskId } = await start(host, project, cutShortScenario(gate.command), title)
      await openAt(page, host, `/t/${taskId}`)
      await gate.reached()
      await expect(talk.getByText('This was said before the gate.')).toBeVisible()
      // A kill may take what was said in the last half second: until then it is on the disk.
      const partial = path.join(app.dataDir, 'sessions', taskId, 'partial.json')
      await expect
        .poll(() => readFile(partial, 'utf8').catch(() => ''))
        .toContain('This was said before the gate.')
      await page.goto('about:blank')
      await end(host)

      host = await app.serve()
      await openAt(page, host, `/t/${taskId}`)
      const listed = sidebar(page).getByRole('region', { name: 'Interrupted' })
      await expect(listed.getByText(cause)).toBeVisible()
      await expect(talk.getByText('The first turn is whole.')).toBeVisible()
      await expect(talk.getByText(/^Run 1 was interrupted/)).toBeVisible()
      await expect(talk.getByText('This was said before the gate.')).toBeVisible()
      await page.goto('about:blank')
    })
  }
})

test('a dismissed notice stays away, and that of the next start is shown', {
  tag: '@soak',
}, async ({ app, page }) => {
  const notice = page.getByRole('status').filter({ hasText: 'Shiplog didn’t shut down cleanly' })
  let host = await app.serve()
  const { port } = host
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const killAtWork = async (name: string) => {
    const gate = app.gate(name)
    await start(host, project, cutShortScenario(gate.command), name)
    await gate.reached()
    // The next start ends the commands that it finds noted, and that is what the notice is about.
    await expect.poll(() => notedCommands(app.dataDir)).toContain(name)
    await page.goto('about:blank')
    await host.kill()
    // The same address, where the window remembers what was dismissed.
    host = await app.serve({ port })
    await openAt(page, host)
  }
  await killAtWork('first')
  await notice.getByRole('button', { name: 'Details' }).click()
  await expect(notice.getByText(/^Ended a command that was left running: /)).toBeVisible()
  await notice.getByRole('button', { name: 'Dismiss' }).click()
  await expect(notice).toBeHidden()
  await page.reload()
  await expect(row(page, 'first')).toBeVisible()
  await expect(notice).toBeHidden()
  await killAtWork('second')
  await expect(notice).toBeVisible()
})

test('the report of a cleaned-up task is still awaited, and read from disk, after a restart', {
  tag: '@soak',
}, async ({ app, page }) => {
  const before = await app.serve()
  const project = await before.client.projects.add({ dir: await app.repository('parser') })
  const root = await playToEnd(before, project, awaitAgainScenario)
  expect(root.children.map(({ archived }) => archived)).toEqual([true])
  await before.stop()

  const host = await app.serve()
  await openAt(page, host, `/t/${root.id}`)
  const talk = conversation(page)
  await expect(talk.getByText('Run 1 ended')).toBeVisible()
  await composer(page).fill('What did it say?')
  await talk.getByRole('button', { name: 'Send' }).click()
  await expect(talk.getByText('It said: Help along')).toBeVisible()
  await expect(talk.getByText('Help was given long ago.').last()).toBeVisible()
  const result = talk.getByRole('article', { name: 'Task: Help along' }).last()
  await expect(result.getByRole('heading', { name: 'Helped' })).toBeVisible()
  await expect(result.getByRole('button', { name: /^View transcript of / })).toBeVisible()
})

test('its folder is opened in the editor', { tag: '@soak' }, async ({ app, page }) => {
  const opened = path.join(app.dir, 'opened')
  const editor = await app.file('editor.sh', `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`)
  await chmod(editor, 0o755)
  const host = await app.serve({ env: { SHIPLOG_EDITOR: editor } })
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const root = await playToEnd(host, project, talkScenario)
  await openAt(page, host, `/t/${root.id}`)
  await conversation(page).getByRole('button', { name: 'Changes and state' }).click()
  await inspector(page).getByRole('button', { name: 'Open in editor' }).click()
  await expect.poll(() => readFile(opened, 'utf8').catch(() => '')).toBe(root.workspace?.path)
})

test('the end stays in view while it streams, and other reading positions do not move', async ({
  app,
  page,
}) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const first = app.gate('first')
  const second = app.gate('second')
  const scenario = longTalkScenario([first.command, second.command])
  const { taskId } = await start(host, project, scenario, 'Talk')
  await openAt(page, host, `/t/${taskId}`)
  const talk = conversation(page)
  const list = talk.getByRole('region', { name: /^Transcript of / })
  const toLatest = talk.getByRole('button', { name: 'Jump to latest' })
  await first.reached()
  await expect(talk.getByText('Part 1, line 60.')).toBeInViewport()
  await first.open()
  await second.reached()
  await expect(talk.getByText('Part 2, line 60.')).toBeInViewport()

  await test.step('a smaller window keeps the tail in view', async () => {
    await page.setViewportSize({ width: 900, height: 500 })
    await expect(talk.getByText('Part 2, line 60.')).toBeInViewport()
    await page.setViewportSize({ width: 1280, height: 800 })
    await expect(talk.getByText('Part 2, line 60.')).toBeInViewport()
    await expect(toLatest).toBeHidden()
  })

  await test.step('reading at the start, nothing moves when more comes', async () => {
    await list.press('Home')
    await expect(talk.getByText('Part 1, line 1.')).toBeInViewport()
    await expect(toLatest).toBeVisible()
    const top = () => list.evaluate((element) => element.scrollTop)
    await expect.poll(top).toBe(0)
    await second.open()
    await expect(row(page, 'Talk').getByRole('img', { name: 'Completed' })).toBeVisible()
    expect(await top()).toBe(0)
    await list.press('End')
    await expect(talk.getByText('Part 3, line 60.')).toBeInViewport()
  })
})

test('the end is followed behind an open transcript, and shown when that is closed', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const gate = app.gate('gate')
  const { taskId } = await start(host, project, askAndTalkScenario(gate.command), 'Talk')
  await openAt(page, host, `/t/${taskId}`)
  const talk = conversation(page)
  await gate.reached()
  await expect(talk.getByRole('button', { name: /Running touch/ })).toBeInViewport()
  await card(talk, 'Help along')
    .getByRole('button', { name: /^View transcript of / })
    .click()
  await expect(transcript(page, 'Help along').getByText('Help was given.')).toBeVisible()
  await gate.open()
  await expect
    .poll(async () => (await host.client.tasks.list({ all: true })).tasks[0]?.status)
    .toBe('completed')
  await page.keyboard.press('Escape')
  await expect(talk.getByText('Line 60.')).toBeInViewport()
})

/** The commands that agents have running, as far as their process ids are on disk. */
async function notedCommands(dataDir: string): Promise<string> {
  const running = path.join(dataDir, 'running')
  const names = await readdir(running)
  const noted = names.map(async (name) => {
    const read = (file: string) => readFile(path.join(running, name, file), 'utf8').catch(() => '')
    return (await read('process.json')) && read('command.json')
  })
  return (await Promise.all(noted)).join('\n')
}
