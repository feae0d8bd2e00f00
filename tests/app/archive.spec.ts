/** Every report and transcript that is kept, of live and cleaned-up agents alike. */
import { pathToFileURL } from 'node:url'
import type { Locator } from '@playwright/test'
import { expect, expectToast, playToEnd, start, test } from './app.ts'
import { archiveList, openAt, reader, sidebar, toast, tree } from './places.ts'
import { gatedScenario, talkScenario } from './scenarios.ts'

test('lists live and cleaned-up agents by project and tree, newest first; a report beside its transcript', async ({
  app,
  page,
}) => {
  const host = await app.serve()
  const parser = await host.client.projects.add({ dir: await app.repository('parser') })
  const lexer = await host.client.projects.add({ dir: await app.repository('lexer') })
  await playToEnd(host, parser, talkScenario, 'The oldest')
  await playToEnd(host, parser, talkScenario, 'The second')
  const lead = app.gate('lead')
  const helper = app.gate('helper')
  await helper.open()
  const gated = gatedScenario({ lead: lead.command, helper: helper.command })
  const { taskId } = await start(host, lexer, gated, 'The newest')
  await expect
    .poll(async () => {
      const { tasks } = await host.client.tasks.list({ all: true })
      return tasks.find(({ id }) => id === taskId)?.children.map(({ archived }) => archived)
    })
    .toEqual([true])

  await openAt(page, host)
  await sidebar(page).getByRole('link', { name: 'Archive' }).click()
  const options = archiveList(page).getByRole('treeitem')
  // Only what was archived, below its parent; the others on demand.
  await expect(options).toHaveText([/The newest/, /Help along/])
  await page.getByRole('combobox', { name: 'Show' }).click()
  await page.getByRole('option', { name: 'All' }).click()
  await expect(options).toHaveText([/The newest/, /Help along/, /The second/, /The oldest/])
  await expect(options.nth(0).getByRole('img', { name: 'Running' })).toBeVisible()
  await expect(archiveList(page)).toContainText('lexer')

  await test.step('a cleaned-up one: its report, and its transcript beside it', async () => {
    await options.nth(1).click()
    await expect(reader(page).getByRole('heading', { name: 'Helped' })).toBeVisible()
    await expect(reader(page).getByText('Help was given.')).toBeVisible()
    await expect(reader(page).getByText('archived', { exact: true })).toBeVisible()
    await reader(page).getByRole('tab', { name: 'Transcript' }).click()
    await expect(reader(page).getByText('The helper has begun.')).toBeVisible()
    await expect(page).toHaveURL(/#\/archive\/[0-9a-f-]{36}\/transcript$/)
  })
  await test.step('the same as a page that needs no scripts and makes no requests', async () => {
    await reader(page).getByRole('button', { name: 'Export…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Export/ })
    await dialog.getByRole('combobox', { name: 'Format' }).click()
    await page.getByRole('option', { name: /^Web page/ }).click()
    const saved = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toMatch(/^help-along-[0-9a-f]{8}\.html$/)
    await expect(dialog).toBeHidden()
    const file = `${await download.path()}.html`
    await download.saveAs(file)
    const context = await page.context().browser()?.newContext({ javaScriptEnabled: false })
    const reading = await context?.newPage()
    if (!reading) throw new Error('there is no browser')
    const asked: string[] = []
    reading.on('request', (request) => asked.push(request.url()))
    const address = pathToFileURL(file).href
    await reading.goto(address)
    await expect(reading.getByText('The helper has begun.')).toBeVisible()
    await expect(reading).toHaveTitle('Help along')
    expect(asked).toEqual([address])
    await context?.close()
  })
  await test.step('a live one: it says that it has not reported, and its transcript follows', async () => {
    await options.nth(0).click()
    await expect(reader(page).getByText('I ask a helper and keep working.')).toBeVisible()
    await reader(page).getByRole('tab', { name: 'Report' }).click()
    await expect(reader(page).getByText(/still running/)).toBeVisible()
    await lead.open()
    await expect(reader(page).getByRole('heading', { name: 'Done together' })).toBeVisible()
    await expect(options.nth(0).getByRole('img', { name: 'Completed' })).toBeVisible()
  })
  await test.step('one without a report opens at its transcript', async () => {
    await options.nth(3).click()
    await expect(reader(page).getByText('You said: The oldest.')).toBeVisible()
    await reader(page).getByRole('tab', { name: 'Report' }).click()
    await expect(reader(page).getByText('The agent ended without a report.')).toBeVisible()
    await reader(page).getByRole('button', { name: 'Show the transcript' }).click()
    await expect(reader(page).getByText('You said: The oldest.')).toBeVisible()
  })
  await test.step('it is filtered by an agent too, and all filters are cleared at once', async () => {
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByRole('combobox', { name: 'Agent', exact: true }).click()
    await page.getByRole('option', { name: 'helper' }).click()
    await expect(options).toHaveText([/The newest/, /Help along/])
    await expect(page.getByRole('button', { name: 'More filters, 1 set' })).toBeVisible()
    await page.getByRole('button', { name: 'Clear these filters' }).click()
    await expect(options).toHaveText([/The newest/, /Help along/, /The second/, /The oldest/])
  })
  await test.step('the filter keeps the parents of what it finds', async () => {
    const filter = page.getByRole('searchbox', { name: /^Filter by title/ })
    await filter.fill('help')
    await expect(options).toHaveText([/The newest/, /Help along/])
    await filter.fill('nothing like it')
    await expect(page.getByText('No matches.')).toBeVisible()
    await filter.fill('parser second')
    // The list comes back a moment after the last key.
    await expect(options).toHaveText([/The second/])
    await filter.press('ArrowDown')
    await expect(archiveList(page)).toBeFocused()
    await expect(options.nth(0)).toHaveAttribute('aria-selected', 'true')
    await filter.fill('')
    await expect(options).toHaveCount(4)
  })
})

test('a narrow window shows the list or the report, one at a time', { tag: '@soak' }, async ({
  finished,
  page,
}) => {
  await page.setViewportSize({ width: 420, height: 800 })
  const tester = finished.task('Cover the parser')
  await openAt(page, finished.host, `/archive/${tester.id}`)
  await expect(reader(page).getByRole('heading', { level: 1 })).toHaveText(tester.title)
  const { width = 0 } = (await reader(page).boundingBox()) ?? {}
  expect(width).toBeGreaterThan(360)
  const title = reader(page).getByRole('heading', { level: 1 })
  expect(await title.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true)
  await expect(archiveList(page)).toBeHidden()
  await reader(page).getByRole('button', { name: 'Archive' }).click()
  await expect(archiveList(page)).toBeVisible()
  await expect(reader(page)).toBeHidden()
})

test('a removed root keeps its transcript; several are deleted and restored at once; a right-to-left title shows its beginning', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  for (const prompt of ['The first', 'The second']) {
    const { id } = await playToEnd(host, project, talkScenario, prompt)
    await host.client.workspace.remove({ workspaceId: id })
  }
  await test.step('a removed root keeps its transcript, and its tree leaves the sidebar', async () => {
    const root = await playToEnd(host, project, talkScenario, 'The third')
    await openAt(page, host, `/t/${root.id}`)
    await page.getByRole('button', { name: 'Changes and state' }).click()
    await page.getByRole('tab', { name: 'State' }).click()
    await page.getByRole('button', { name: 'Remove workspace' }).click()
    await toast(page, 'Archived “The third”.').hover()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect(tree(page).getByRole('treeitem', { name: /The third/ })).toHaveCount(0)
    await reader(page).getByRole('tab', { name: 'Transcript' }).click()
    await expect(reader(page).getByText('You said: The third.')).toBeVisible()
  })
  await page.goto('about:blank')
  await openAt(page, host, '/archive')
  await test.step('several are deleted at once, and taken back at once', async () => {
    const trashed = async () => (await host.client.retention.trash()).entries.length
    const options = archiveList(page).getByRole('treeitem')
    await expect(options).toHaveText([/The third/, /The second/, /The first/])
    await options.nth(0).hover()
    await options.nth(0).getByRole('checkbox', { name: 'Mark The third' }).check()
    await expect(page.getByText('1 selected')).toBeVisible()
    // By key, on the row that is read.
    await options.nth(2).click()
    await page.keyboard.press('x')
    await expect(page.getByText('2 selected')).toBeVisible()
    const list = page.getByRole('region', { name: 'Archive' })
    await list.getByRole('button', { name: 'Delete' }).click()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.hover()
    await expect(options).toHaveText([/The second/])
    await expect(reader(page).getByText('Select an agent to read')).toBeVisible()
    await expect.poll(trashed).toBe(2)
    await undo.click()
    await expectToast(page, 'Restored 2 agents to the archive.')
    await expect(options).toHaveCount(3)
    await expect(page.getByText(/selected$/)).toHaveCount(0)
    await expect.poll(trashed).toBe(0)

    await page.getByRole('combobox', { name: 'Show' }).click()
    await page.getByRole('option', { name: 'Trash' }).click()
    await expect(page.getByText(/^The trash is empty\./)).toBeVisible()
    await page.getByRole('button', { name: 'Back to the archive' }).click()
    await expect(options).toHaveCount(3)
  })
  await test.step('a long title that is written from right to left shows its beginning in lists and headers', async () => {
    const title = 'ראשון '.repeat(24).trim()
    const { id } = await playToEnd(host, project, talkScenario, title)
    await host.client.workspace.remove({ workspaceId: id })
    const beginnings = (within: Locator) =>
      within.getByTitle(title).evaluateAll((boxes) =>
        boxes.map((box) => {
          const range = new Range()
          range.setStart(box.firstChild as Text, 0)
          range.setEnd(box.firstChild as Text, 1)
          const letter = range.getBoundingClientRect()
          const shown = box.getBoundingClientRect()
          return {
            isCut: box.scrollWidth > box.clientWidth,
            isShown: letter.left >= shown.left - 1 && letter.right <= shown.right + 1,
          }
        }),
      )
    const cutAtItsEnd = { isCut: true, isShown: true }
    await page.goto('about:blank')
    await openAt(page, host, `/archive/${id}`)
    await expect(reader(page).getByRole('heading', { level: 1 })).toHaveText(title)
    expect(await beginnings(archiveList(page))).toEqual([cutAtItsEnd])
    expect(await beginnings(reader(page))).toEqual([cutAtItsEnd])
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Commands and agents' })
    await expect(palette.getByRole('option', { name: 'ראשון' })).toBeVisible()
    expect(await beginnings(palette)).toEqual([cutAtItsEnd])
  })
})
