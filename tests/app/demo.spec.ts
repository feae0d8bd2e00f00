/** The walk of a new user: the demo, watched, looked through, applied, and found again after a restart. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import { expect, expectToast, flatten, type Host, test } from './app.ts'
import {
  archiveList,
  breadcrumb,
  card,
  composer,
  conversation,
  inspector,
  openAt,
  reader,
  row,
  sidebar,
  transcript,
  tree,
} from './places.ts'

test('a new user tries the demo, from the empty window to the archive after a restart', {
  tag: '@soak',
}, async ({ app, page }) => {
  // The demo alone takes about twenty seconds, as it is there to be watched.
  test.setTimeout(600_000)
  let host = await app.serve()
  await openAt(page, host)
  const talk = conversation(page)

  await test.step('the empty first screen offers the demo and a project', async () => {
    await expect(page.getByRole('button', { name: 'Add a project…' })).toBeVisible()
    await page.getByRole('button', { name: 'Try the demo' }).click()
    await expect(talk).toBeVisible()
  })

  const root = await rootOf(host)
  const projectDir = root.projectDir

  await test.step('the sidebar shows project, root and sub-agents as a tree, live', async () => {
    await expect(tree(page).getByRole('treeitem').first()).toHaveAttribute('aria-level', '1')
    await expect(row(page, root.title)).toHaveAttribute('aria-level', '2')
    await expect(row(page, root.title).getByRole('img', { name: 'Running' })).toBeVisible()
    await expect(talk.getByRole('heading', { level: 1 })).toHaveText(root.title)
  })

  await test.step('the conversation streams, and stays at its end', async () => {
    await expect(talk.getByText("I'll look at the code before I change anything.")).toBeAttached()
    await expect(talk.getByRole('article', { name: /^Task: / }).first()).toBeVisible()
    await expect(talk.getByRole('button', { name: 'Jump to latest' })).toBeHidden()
  })

  await test.step('a sub-agent’s transcript can be watched while the tree runs', async () => {
    const [child] = (await rootOf(host)).children
    if (!child) throw new Error('the lead has started nobody')
    // By key: the card moves up as the lead goes on, and a click would scroll after it.
    await card(talk, child.title)
      .getByRole('button', { name: /^View transcript of / })
      .press('Enter')
    const dialog = transcript(page, child.title)
    await expect(page).toHaveURL(new RegExp(`#/t/${root.id}/transcript/${child.id}$`))
    await expect(dialog.getByText(child.prompt.slice(0, 40))).toBeVisible()
    await expect(dialog.getByText('Completed', { exact: true })).toBeVisible({ timeout: 180_000 })
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL(new RegExp(`#/t/${root.id}$`))
  })

  await test.step('the demo ends well, and the root’s report is read', async () => {
    await expect(row(page, root.title).getByRole('img', { name: 'Completed' })).toBeVisible({
      timeout: 240_000,
    })
    const finished = await rootOf(host)
    expect(finished.status).toBe('completed')
    await expect(talk.getByRole('heading', { name: finished.reportTitle ?? '?' })).toBeVisible()
  })

  const all = await untilCleanedUp(host)
  const children = all.filter(({ parentId }) => parentId === root.id)
  const nested = all.find(({ depth }) => depth === 2)

  await test.step('at least three sub-agents, one of them with one of its own, all in the tree', async () => {
    expect(children.length).toBeGreaterThanOrEqual(3)
    expect(nested).toBeDefined()
    for (const task of all) await expect(row(page, task.title)).toHaveCount(1)
    await expect(row(page, nested?.title ?? '')).toHaveAttribute('aria-level', '4')
  })

  await test.step('clean-up removes worktrees and session directories from the disk', async () => {
    for (const task of all.filter(({ parentId }) => parentId !== null)) {
      expect(task.workspace).toMatchObject({ removal: 'removed', isolation: 'worktree' })
      expect(existsSync(task.workspace?.path ?? app.dataDir), task.title).toBe(false)
      expect(existsSync(path.join(app.dataDir, 'sessions', task.id)), task.title).toBe(false)
    }
    expect(await readdir(path.join(app.dataDir, 'sessions'))).toEqual([root.id])
    expect(await app.git(projectDir, 'worktree', 'list', '--porcelain')).not.toContain(
      children[0]?.workspace?.path ?? '?',
    )
    const kept = await readdir(path.join(app.dataDir, 'sessions', root.id, 'subagent-transcripts'))
    expect(kept.sort()).toEqual(all.flatMap(({ id, parentId }) => (parentId ? [id] : [])).sort())
  })

  await test.step('the card of a cleaned-up one has its report and its transcript', async () => {
    await row(page, root.title).click()
    const parent = all.find(({ id }) => id === nested?.parentId) as TaskTree
    const done = card(talk, parent.title)
    await done.scrollIntoViewIfNeeded()
    await expect(done.getByRole('heading', { name: parent.reportTitle ?? '?' })).toBeVisible()
    await expect(done.getByText('Changes applied')).toBeVisible()
    await done.getByRole('button', { name: `View transcript of ${parent.title}` }).click()

    const dialog = transcript(page, parent.title)
    await expect(dialog.getByText(parent.prompt.slice(0, 40))).toBeVisible()
    const inside = card(dialog, nested?.title ?? '')
    await inside.getByRole('button', { name: /^View transcript of / }).click()
    const below = transcript(page, nested?.title ?? '')
    await expect(below.getByText((nested?.prompt ?? '').slice(0, 40))).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(1)
    await breadcrumb(below).getByRole('link', { name: parent.title }).click()
    await expect(transcript(page, parent.title)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
  })

  await test.step('the root’s diff is shown and applied to the project', async () => {
    const before = await app.git(projectDir, 'rev-parse', 'HEAD')
    await talk.getByRole('button', { name: 'Changes and state' }).click()
    const changes = inspector(page)
    await expect(changes.getByRole('button', { name: /src\/parse-line\.js/ })).toBeVisible()
    await changes.getByRole('button', { name: 'Apply to main' }).click()
    await expectToast(page, /^Applied to main: \d+ files changed, not committed\.$/)
    const parser = await readFile(path.join(projectDir, 'src', 'parse-line.js'), 'utf8')
    expect(parser).toContain('linePattern')
    const after = await app.git(projectDir, 'rev-parse', 'HEAD')
    const changed = await app.git(projectDir, 'status', '--porcelain')
    expect(before !== after || changed !== '').toBe(true)
  })

  await test.step('the archive lists every report and transcript, newest first', async () => {
    await sidebar(page).getByRole('link', { name: 'Archive' }).click()
    for (const task of all)
      await expect(archiveList(page).getByRole('treeitem', { name: task.title })).toBeVisible()
    await archiveList(page)
      .getByRole('treeitem', { name: nested?.title ?? '' })
      .click()
    await expect(
      reader(page).getByRole('heading', { name: nested?.reportTitle ?? '?' }),
    ).toBeVisible()
    await reader(page).getByRole('tab', { name: 'Transcript' }).click()
    await expect(reader(page).getByText((nested?.prompt ?? '').slice(0, 40))).toBeVisible()
  })

  await test.step('after a restart everything is there', async () => {
    const at = new URL(page.url()).hash.slice(1)
    await page.goto('about:blank')
    await host.stop()
    host = await app.serve()
    await openAt(page, host, at)
    await expect(reader(page).getByText((nested?.prompt ?? '').slice(0, 40))).toBeVisible()
    // A tree that has completed and was looked at is folded; its row says how many are in it.
    await expect(row(page, root.title)).toHaveAttribute('aria-expanded', 'false')
    await expect(row(page, root.title).getByTitle('4 sub-agents')).toBeVisible()
    await row(page, root.title).press('ArrowRight')
    for (const task of all) await expect(row(page, task.title)).toHaveCount(1)
    await row(page, root.title).click()
    await expect(talk.getByRole('heading', { name: all[0]?.reportTitle ?? '?' })).toBeVisible()
  })

  await test.step('a follow-up continues with the conversation', async () => {
    await composer(page).fill('Is there anything left?')
    await talk.getByRole('button', { name: 'Send' }).click()
    await expect(talk.getByText('Is there anything left?')).toBeVisible()
    await expect(talk.getByText('This scenario has no turns left.')).toBeVisible()
    await expect(composer(page)).toHaveValue('')
  })
})

async function rootOf(host: Host): Promise<TaskTree> {
  const { tasks } = await host.client.tasks.list({ all: true })
  const [root] = tasks
  if (!root) throw new Error('nothing was started')
  return root
}

/** Every task, once the sub-agents' workspaces are gone. */
async function untilCleanedUp(host: Host): Promise<TaskTree[]> {
  const all = async () => flatten([await rootOf(host)])
  const left = async () => (await all()).filter(({ parentId, archived }) => parentId && !archived)
  await expect.poll(left, { timeout: 120_000 }).toEqual([])
  return all()
}
