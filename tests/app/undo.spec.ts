import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, expectToast, playToEnd, test } from './app.ts'
import { inspector, openAt, toast, tree } from './places.ts'

const scenario = `version: 1
name: changes
agents:
  lead:
    turns:
      - call: bash
        with: { command: "git mv README.md HELLO.md && echo new > new.txt" }
      - report: { title: Done, markdown: Done. }
      - say: I gave it another name.
`

test('an apply is undone from the inspector, but not over later changes; then the changes are reviewed', async ({
  app,
  page,
}) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const root = await playToEnd(host, project, scenario)
  const status = () => app.git(root.projectDir, 'status', '--porcelain')
  const before = await status()
  await openAt(page, host, `/t/${root.id}`)
  const changes = inspector(page)
  if (!(await changes.isVisible()))
    await page.getByRole('button', { name: 'Changes and state' }).click()

  await test.step('a renamed file is one, in the toast and where it is found later', async () => {
    await changes.getByRole('button', { name: 'Apply to main' }).click()
    await toast(page, /^Applied to main: 2 files changed, not committed\./).hover()
    const notifications = page.getByRole('region', { name: /Notifications/ })
    await expect(notifications.getByRole('button', { name: 'Undo' })).toBeVisible()
    await expect(changes.getByText('Applied 2 files to main')).toBeVisible()
  })

  await test.step('what changed since is named and kept', async () => {
    const file = path.join(root.projectDir, 'new.txt')
    const applied = await readFile(file, 'utf8')
    await writeFile(file, 'mine\n')
    await changes.getByRole('button', { name: 'Undo' }).click()
    const note = changes.getByText('1 file changed since, so nothing was undone.')
    await expect(note).toBeVisible()
    await changes.getByRole('button', { name: 'Details' }).click()
    await expect(changes.getByText('new.txt').last()).toBeVisible()
    expect(await readFile(file, 'utf8')).toBe('mine\n')
    await writeFile(file, applied)
  })

  await test.step('undone, it can be applied again', async () => {
    await changes.getByRole('button', { name: 'Undo' }).click()
    await expectToast(page, /^Undone\. 2 files are as before\./)
    expect(await status()).toBe(before)
    await expect(changes.getByText('Applied 2 files to main')).toBeHidden()
    await expect(changes.getByRole('button', { name: 'Apply to main' })).toBeEnabled()
  })

  await test.step('a comment on a changed file goes to the agent as a follow-up', async () => {
    await page.getByRole('button', { name: 'Review', exact: true }).click()
    const review = page.getByRole('region', { name: 'Review of ' })
    await expect(tree(page).getByRole('treeitem', { selected: true })).toHaveCount(1)
    await expect(page).toHaveTitle(/^Review of .* · Shiplog$/)
    const files = review.getByRole('list', { name: 'Changed files' })
    await files.getByRole('button', { name: /new\.txt/ }).click()
    await expect(review.getByRole('figure', { name: 'Changes of new.txt' })).toContainText('new')
    const change = review.getByRole('group', { name: 'Change 1 of 1' })
    await change.getByRole('button', { name: 'Turn 1' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.goBack()
    await expect(change.getByText('bash')).toBeVisible()
    await review.getByRole('button', { name: 'Comment on the file' }).click()
    await page.keyboard.type('Give it another name.')
    await page.keyboard.press('ControlOrMeta+Enter')
    await review.getByRole('button', { name: 'Send to the agent' }).click()
    await expectToast(page, /^Sent 1 comment to /)
    await expect(review.getByText(/^Sent /)).toBeVisible()
    await review.getByRole('button', { name: 'turn 3' }).click()
    await expect(page.getByRole('dialog').getByText('I gave it another name.')).toBeVisible()
    await page.goBack()
    const recorded = () => host.client.transcripts.page({ taskId: root.id, at: 'end' })
    await expect
      .poll(async () => JSON.stringify((await recorded()).entries))
      .toContain('1. new.txt\\n   Give it another name.')
  })
})
