/** What was cut off by the end of its host is listed, looked at and taken up again from the window. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { type App, expect, expectToast, flatten, type Host, start, test } from './app.ts'
import { composer, conversation, openAt, row, sidebar, tree } from './places.ts'
import { cutShortScenario } from './scenarios.ts'

const interrupted = (page: Page): Locator => page.getByRole('region', { name: 'Interrupted' })

/** A lead that has written a file and waits for a helper, which waits at a gate. */
const plannedScenario = (gate: string) => `version: 1
name: planned
agents:
  lead:
    turns:
      - call: write_file
        with: { path: plan.md, content: "# Plan\\n" }
      - call: task
        with: { agent: helper, title: Help along, prompt: Help., background: true }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done together, markdown: "{{last.output}}" }
  helper:
    turns:
      - say: The helper has begun.
      - call: bash
        with: { command: "${gate}" }
      - report: { title: Helped, markdown: Help was given. }
`

async function taskNamed(host: Host, title: string) {
  const { tasks } = await host.client.tasks.list({ all: true })
  const found = flatten(tasks).find((task) => task.title === title)
  if (!found) throw new Error(`no task ${title}`)
  return found
}

test('a killed tree is listed, shows a conflict before it continues, and completes', async ({
  app,
  page,
}) => {
  const first = await app.serve()
  const project = await first.client.projects.add({ dir: await app.repository('parser') })
  const gate = app.gate('helper')
  const { taskId } = await start(first, project, plannedScenario(gate.command), 'Build it')
  await gate.reached()
  await expect
    .poll(async () => {
      const { entries } = await first.client.workspace.getSubagentTranscript({ taskId })
      return entries.some((entry) => entry.type === 'tool-call' && entry.name === 'task_await')
    })
    .toBe(true)
  const { workspace } = await taskNamed(first, 'Build it')
  await first.kill()
  await writeFile(path.resolve(app.dataDir, workspace?.path ?? '', 'plan.md'), '# Mine\n')
  // What the killed host left behind ends as well.
  await gate.open()

  const host = await app.serve()
  await openAt(page, host, `/t/${taskId}`)
  const list = interrupted(page)
  const dialog = page.getByRole('dialog', { name: 'Resume “Build it”' })
  const agents = list.getByRole('treeitem')
  await test.step('their tree is listed, with why they stopped; it opens to both and what they were doing', async () => {
    await expect(agents).toHaveText([/Build it.*2 interrupted.*Shiplog quit/])
    await agents.first().focus()
    await page.keyboard.press('ArrowRight')
    await expect(agents).toHaveText([/Build it/, /Build it/, /Help along/])
    await expect(agents.nth(1)).toContainText('waiting for all its tasks')
    await expect(conversation(page).getByText(/^Interrupted .*because Shiplog quit/)).toBeVisible()
  })
  await test.step('r opens the dialog; Esc changes nothing', async () => {
    await row(page, 'Build it').focus()
    await page.keyboard.press('r')
    const files = dialog.getByRole('table', { name: '1 file changed since it stopped' })
    await expect(files.getByRole('row').last()).toHaveText(/plan\.md\s*Modified\s*You/)
    await expect(dialog.getByText(/The result of a call that was running is unknown/)).toHaveCount(
      1,
    )
    await expect(
      dialog.getByText(/touch .*helper.* was running, started \d\d:\d\d:\d\d/),
    ).toBeVisible()
    await expect(dialog.getByRole('radio', { name: 'Whole tree (2)' })).toBeChecked()
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await files.getByRole('button', { name: 'plan.md' }).click()
    await expect(dialog.getByRole('figure', { name: 'Changes of plan.md' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(agents).toHaveCount(3)
    expect((await taskNamed(host, 'Build it')).runs).toHaveLength(1)
  })
  await test.step('from the sidebar: Resume anyway, and both continue to their end', async () => {
    await list.getByRole('button', { name: 'Resume Build it' }).first().click()
    await dialog.getByRole('button', { name: 'Resume anyway' }).click()
    await expect(dialog).toBeHidden()
    await expectToast(page, 'Resumed 2 agents.')
    await expectToast(page, 'Both resumed agents completed.')
    await expect(list).toBeHidden()
    await expect(row(page, 'Build it').getByRole('img', { name: 'Completed' })).toBeVisible()
    await expect(
      conversation(page).getByText('Resumed · You changed 1 file that it worked on: plan.md.'),
    ).toBeVisible()
  })
  await test.step('it is continued as a new task, which says so, and so does it', async () => {
    await conversation(page).getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Continue with…' }).click()
    const ask = page.getByRole('dialog', { name: 'Continue “Build it” as a new task' })
    await expect(ask.getByRole('textbox', { name: 'Prompt' })).toHaveValue('Build it')
    await ask.getByRole('textbox', { name: 'Prompt' }).fill('Now the rest')
    await page.keyboard.press('Control+Enter')
    await expect(conversation(page).getByText('Continues')).toBeVisible()
    await expect(conversation(page).getByText('Now the rest')).toBeVisible()
    await conversation(page).getByRole('link', { name: 'Build it' }).click()
    await expect(conversation(page).getByText('Continued by')).toBeVisible()
  })
})

test('of several killed tasks one is abandoned, the others are resumed together and can be filtered; their end is notified', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await threeKilled(app)
  await watchNotifications(page)
  await openAt(page, host)
  const list = interrupted(page)
  const agents = list.getByRole('treeitem')
  await expect(agents).toHaveCount(3)

  await test.step('the tree shows only them, and still does after a reload', async () => {
    await sidebar(page).getByRole('button', { name: 'Filter agents' }).click()
    await page.getByRole('menuitemradio', { name: 'Finished' }).click()
    await expect(tree(page).getByRole('treeitem')).toHaveCount(1)
    await page.reload()
    await expect(sidebar(page).getByText('Only finished')).toBeVisible()
    await expect(tree(page).getByRole('treeitem')).toHaveCount(1)
    await sidebar(page).getByRole('button', { name: 'Show all' }).click()
    await expect(tree(page).getByRole('treeitem')).toHaveCount(4)
  })
  await test.step('one is given up', async () => {
    await agents.filter({ hasText: 'The first' }).click({ button: 'right' })
    await expect(page.getByRole('menuitem', { name: 'Rename…' })).toBeVisible()
    await page.keyboard.press('Escape')
    await agents.filter({ hasText: 'The first' }).hover()
    await list.getByRole('button', { name: 'Abandon The first…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Abandon “The first”' })
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await dialog.getByRole('button', { name: 'Abandon' }).click()
    await expectToast(page, 'Abandoned “The first”.')
    await expect(agents).toHaveCount(2)
    // The keyboard goes on from where the row was.
    await expect(list.locator(':focus')).toHaveCount(1)
    await expect(row(page, 'The first').getByRole('img', { name: 'Abandoned' })).toBeVisible()
  })
  await test.step('the others continue together, one at a time', async () => {
    await list.getByRole('button', { name: 'Resume both' }).click()
    const dialog = page.getByRole('dialog', { name: 'Resume interrupted agents' })
    await dialog.getByRole('spinbutton', { name: 'Max. parallel agents' }).fill('1')
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click()
    await expectToast(page, 'Both resumed agents completed.')
    await expect(list).toBeHidden()
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, 'told') as string[]))
      .toEqual(expect.arrayContaining(['Completed: The second', 'Completed: The third']))
  })
})

test('a parallel group is resumed as a whole, from its row and from the dialog of a member', {
  tag: '@soak',
}, async ({ app, page }) => {
  const { host, taskId } = await groupKilled(app)
  await openAt(page, host, `/t/${taskId}`)
  const dialog = page.getByRole('dialog')
  await test.step('lists its members and no others', async () => {
    await row(page, 'Move the lamps').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Resume parallel group (2)…' }).click()
    await expect(dialog).toHaveAccessibleName('Resume the parallel group of “Move the lamps”')
    await expect(dialog.getByRole('listitem', { name: /lamps$/ })).toHaveCount(2)
    await expect(dialog.getByRole('listitem', { name: 'Build it' })).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    // What worked alone has no group.
    await row(page, 'Build it').click({ button: 'right' })
    await expect(page.getByRole('menuitem', { name: /^Resume/ })).toHaveAccessibleName('Resume…')
    await page.keyboard.press('Escape')
  })
  await test.step('from the dialog of one of them, which its unknown call opens', async () => {
    await row(page, 'Move the lamps').focus()
    await page.keyboard.press('Enter')
    await conversation(page).getByRole('button', { name: 'Resume' }).click()
    await expect(dialog).toHaveAccessibleName('Resume “Move the lamps”')
    await expect(dialog.getByRole('radio', { name: 'Only this agent' })).toBeChecked()
    await dialog.getByRole('radio', { name: 'Parallel group (2)' }).check()
    await expect(dialog).toHaveAccessibleName('Resume the parallel group of “Move the lamps”')
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click()
    await expectToast(page, 'Resumed 2 agents.')
    await expectToast(page, 'Both resumed agents completed.')
    await expect(row(page, 'Build it').getByRole('img', { name: 'Interrupted' })).toBeVisible()
  })
})

test('a follow-up to a root whose sub-agents are interrupted asks first, and neither answer loses the text', {
  tag: '@soak',
}, async ({ app, page }) => {
  const { host, taskId } = await groupKilled(app)
  await openAt(page, host, `/t/${taskId}`)
  await composer(page).fill('Go on with something else')
  await composer(page).press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: '2 sub-agents are interrupted' })
  await expect(dialog.getByRole('button', { name: 'Resume them first' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Resume them first' }).click()
  await expect(page.getByRole('dialog', { name: 'Resume “Build it”' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(composer(page)).toHaveValue('Go on with something else')

  await composer(page).press('Control+Enter')
  await dialog.getByRole('button', { name: 'Leave them and send' }).click()
  await expect(composer(page)).toHaveValue('')
  await expect(
    conversation(page).getByText('Go on with something else', { exact: true }),
  ).toBeVisible()
  await expect(interrupted(page).getByText('2 interrupted')).toBeVisible()
})

/** A lead over two helpers that work in parallel. */
async function groupKilled(app: App) {
  const first = await app.serve()
  const project = await first.client.projects.add({ dir: await app.repository('parser') })
  const gates = [app.gate('lamps'), app.gate('horn')]
  const titles = ['Move the lamps', 'Test the lamps']
  const scenario = `version: 1
name: group
agents:
  lead:
    turns:
      - steps:
${titles
  .map(
    (title, index) => `          - call: task
            with: { agent: helper${index}, title: ${title}, prompt: Help., background: true }`,
  )
  .join('\n')}
      - call: task_await
        with: { tasks: all }
      - report: { title: Done together, markdown: "{{last.output}}" }
${gates
  .map(
    (gate, index) => `  helper${index}:
    turns:
      - call: bash
        with: { command: "${gate.command}" }
      - report: { title: Helped, markdown: Help was given. }`,
  )
  .join('\n')}
`
  const { taskId } = await start(first, project, scenario, 'Build it')
  for (const gate of gates) await gate.reached()
  await first.kill()
  for (const gate of gates) await gate.open()
  return { host: await app.serve(), taskId }
}

async function threeKilled(app: App): Promise<Host> {
  const first = await app.serve()
  const project = await first.client.projects.add({ dir: await app.repository('parser') })
  const names = ['The first', 'The second', 'The third']
  const gates = names.map((_, index) => app.gate(`gate-${index}`))
  for (const [index, gate] of gates.entries()) {
    await start(first, project, cutShortScenario(gate.command), names[index])
    await gate.reached()
  }
  await first.kill()
  for (const gate of gates) await gate.open()
  return app.serve()
}

/** Headless, nothing is shown and the page has the focus always: it is told that it has not. */
const watchNotifications = (page: Page) =>
  page.addInitScript(() => {
    const told: string[] = []
    class Told {
      static permission = 'granted'
      constructor(title: string) {
        told.push(title)
      }
    }
    Object.assign(window, { told, Notification: Told })
    document.hasFocus = () => false
  })
