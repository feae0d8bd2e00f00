/** Task cards: what each state shows, and bringing changes into the parent's worktree. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, flatten, playToEnd, start, test } from './app.ts'
import { card, conversation, inspector, openAt, row, transcript } from './places.ts'
import { gatedScenario } from './scenarios.ts'

/** A patch that can be applied and one that conflicts. */
const patchesScenario = `version: 1
name: patches
agents:
  lead:
    turns:
      - steps:
          - call: task
            with: { agent: writer, title: Write the guide, prompt: Write a guide., background: true }
          - call: task
            with: { agent: clasher, title: Rename the project, prompt: Rename it., background: true }
          - call: edit_file
            with: { path: README.md, oldText: "# Hello", newText: "# Parser" }
          - call: bash
            with: { command: "git commit -qam 'Name the project'" }
      - call: task_await
        with: { tasks: all }
      - report: { title: Named, markdown: It has a name. }
  writer:
    turns:
      - call: write_file
        with: { path: docs/guide.md, content: "# Guide\\n\\nRead a line.\\n" }
      - report: { title: Guide written, markdown: One page. }
  clasher:
    turns:
      - call: write_file
        with: { path: README.md, content: "# Another name\\n" }
      - report: { title: Renamed, markdown: It has another name. }
`

test('cards show status, agent, time, report or cause, and a transcript in every state', async ({
  finished,
  page,
}) => {
  const root = finished.task('Make the parser robust')
  await openAt(page, finished.host, `/t/${root.id}`)
  const talk = conversation(page)
  await talk.getByRole('region', { name: /^Transcript of / }).press('Home')

  await test.step('completed: its report, folded, and the nested task as a row', async () => {
    const done = card(talk, 'Cover the parser')
    await expect(done.getByText('Completed', { exact: true }).first()).toBeVisible()
    await expect(done.getByText('tester', { exact: true })).toBeVisible()
    await expect(done.getByTitle('Running time of all runs').first()).toHaveText(/^(?:<1|\d+)s$/)
    await expect(done.getByRole('heading', { name: 'Two tests' })).toBeVisible()
    const unfold = done.getByRole('button', { name: 'Show the whole report' })
    await expect(unfold).toHaveAttribute('aria-expanded', 'false')
    await unfold.click()
    await expect(done.getByRole('button', { name: 'Show less' })).toBeVisible()
    await expect(done.getByText("The end of the tester's report.")).toBeVisible()
    await expect(
      done.getByRole('button', { name: 'View transcript of Check the tests' }),
    ).toBeVisible()
    await expect(done.getByText('Changes applied')).toBeVisible()
  })

  await test.step('failed: its cause, in its own words', async () => {
    const failed = card(talk, 'Run the benchmark')
    await failed.scrollIntoViewIfNeeded()
    await expect(failed.getByText('Failed', { exact: true })).toBeVisible()
    await expect(failed.getByText('There is no benchmark to run')).toBeVisible()
    await failed.getByRole('button', { name: /^View transcript of / }).click()
    const dialog = transcript(page, 'Run the benchmark')
    await expect(dialog.getByText('no-such-file').first()).toBeVisible()
    await page.keyboard.press('Escape')
  })

  await test.step('a wait is one line, which opens to the tasks waited for, and no second card', async () => {
    const list = talk.getByRole('region', { name: /^Transcript of / })
    await list.press('End')
    await expect(talk.getByRole('heading', { name: 'The parser is covered' })).toBeVisible()
    const wait = talk.getByRole('button', { name: /^Waited for 4 tasks/ })
    await wait.scrollIntoViewIfNeeded()
    await wait.click()
    const waited = talk.getByRole('list', { name: 'Tasks waited for' })
    await expect(waited.getByRole('listitem')).toHaveCount(4)
    await expect(talk.getByRole('article', { name: 'Task: Write the guide' })).toHaveCount(1)
    await waited.getByRole('button', { name: 'View transcript of Write the guide' }).click()
    await expect(transcript(page, 'Write the guide')).toBeVisible()
    await page.keyboard.press('Escape')
  })
})

test('Apply changes applies a patch to the parent’s worktree; a conflict is reported and changes nothing', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const root = await playToEnd(host, project, patchesScenario)
  const worktree = root.workspace?.path ?? ''
  const children = flatten([root])
  const patchOf = async (title: string) => {
    const { tasks } = await host.client.tasks.list({ all: true })
    return flatten(tasks).find((task) => task.title === title)?.patch
  }
  expect(children.find(({ title }) => title === 'Write the guide')?.patch).toBe('ready')
  await openAt(page, host, `/t/${root.id}`)
  const talk = conversation(page)
  const list = talk.getByRole('region', { name: /^Transcript of / })
  await expect(list).toBeVisible()
  await list.press('Home')

  await test.step('a conflict: shown on the card with its file; nothing has changed', async () => {
    const before = await app.git(worktree, 'status', '--porcelain=v2', '--branch')
    const readme = await readFile(path.join(worktree, 'README.md'), 'utf8')
    const clashing = card(talk, 'Rename the project')
    await clashing.getByRole('button', { name: 'Apply changes of Rename the project' }).click()
    await expect(clashing.getByRole('status')).toHaveText(
      /^Conflicts in 1 file\. Nothing was changed\. Review the changes .*README\.mdDetails/,
    )
    expect(await app.git(worktree, 'status', '--porcelain=v2', '--branch')).toBe(before)
    expect(await readFile(path.join(worktree, 'README.md'), 'utf8')).toBe(readme)
    expect(await patchOf('Rename the project')).toBe('ready')
  })

  await test.step('one without conflicts: its file is there, and the card says so', async () => {
    const good = card(talk, 'Write the guide')
    await good.getByRole('button', { name: 'Apply changes of Write the guide' }).click()
    await expect(good.getByText('Changes applied')).toBeVisible()
    expect(await readFile(path.join(worktree, 'docs', 'guide.md'), 'utf8')).toContain('# Guide')
    expect(await patchOf('Write the guide')).toBe('applied')
    await expect(good.getByRole('button', { name: /^Apply changes/ })).toBeHidden()
  })

  await test.step('the root’s own diff can’t be applied while the project changed the same lines', async () => {
    await app.file('parser/README.md', '# Changed by hand\n')
    await app.git(root.projectDir, 'commit', '-qam', 'By hand')
    const before = await app.git(root.projectDir, 'rev-parse', 'HEAD')
    await talk.getByRole('button', { name: 'Changes and state' }).click()
    await inspector(page).getByRole('button', { name: 'Apply to main' }).click()
    await expect(
      inspector(page).getByText(/^Conflicts in 1 file; nothing was changed/),
    ).toBeVisible()
    expect(await app.git(root.projectDir, 'rev-parse', 'HEAD')).toBe(before)
    expect(await app.git(root.projectDir, 'status', '--porcelain')).toBe('')
    expect(existsSync(path.join(root.projectDir, 'docs'))).toBe(false)
  })
})

test('a live card follows its agent, can be stopped, and then shows why it ended', async ({
  app,
  page,
}) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const lead = app.gate('lead')
  const helper = app.gate('helper')
  const scenario = gatedScenario({ lead: lead.command, helper: helper.command })
  const { taskId } = await start(host, project, scenario)
  await openAt(page, host, `/t/${taskId}`)
  const live = card(conversation(page), 'Help along')
  await helper.reached()
  await expect(live.getByText('Running', { exact: true })).toBeVisible()
  await expect(live.getByText(/^Running touch /)).toBeVisible()
  await expect(row(page, 'Help along').getByRole('img', { name: 'Running' })).toBeVisible()

  await live.getByRole('button', { name: 'Stop Help along' }).click()
  await expect(live.getByText('Interrupted', { exact: true })).toBeVisible()
  await expect(row(page, 'Help along').getByRole('img', { name: 'Interrupted' })).toBeVisible()
  await expect(live.getByRole('button', { name: 'View transcript of Help along' })).toBeVisible()
  await lead.open()
  await expect(row(page, 'Do it').getByRole('img', { name: 'Completed' })).toBeVisible()
})
