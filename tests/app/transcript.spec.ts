/** The transcript dialog: replay of what is archived, drilling down, and a live one that follows. */
import type { Locator, Page } from '@playwright/test'
import { expect, playToEnd, start, test } from './app.ts'
import { breadcrumb, card, conversation, openAt, transcript } from './places.ts'
import { gatedScenario, manyTurnsScenario } from './scenarios.ts'

test('replays the archived chat.jsonl: prompt, reasoning, text, calls with input and output, report', async ({
  finished,
  page,
}) => {
  const root = finished.task('Make the parser robust')
  const tester = finished.task('Cover the parser')
  const checker = finished.task('Check the tests')
  const asked = watchCalls(page)
  await openAt(page, finished.host, `/t/${root.id}`)
  const talk = conversation(page)
  await expect(talk.getByRole('heading', { name: 'The parser is covered' })).toBeVisible()
  expect(asked(tester.id)).toBe(0)

  await talk.getByRole('region', { name: /^Transcript of / }).press('Home')
  await card(talk, tester.title)
    .getByRole('button', { name: `View transcript of ${tester.title}` })
    .click()
  const dialog = transcript(page, tester.title)
  await expect(dialog.getByText('Write the tests.')).toBeVisible()
  expect(asked(tester.id), 'the transcript is read once it is opened').toBeGreaterThan(0)
  expect(asked(checker.id)).toBe(0)

  await expect(dialog.getByText('I write the tests, and have them checked.')).toBeVisible()
  await expect(dialog.getByText(/ on shiplog\/cover-the-parser-/).first()).toBeVisible()
  const edit = dialog.getByRole('button', { name: /tests\/parser\.test\.txt/ })
  await expect(edit).toContainText('+2')
  await edit.click()
  await expect(dialog.getByText('two', { exact: true })).toBeVisible()
  await expect(dialog.getByRole('heading', { name: 'Two tests' })).toBeVisible()

  await card(dialog, checker.title)
    .getByRole('button', { name: `View transcript of ${checker.title}` })
    .click()
  const nested = transcript(page, checker.title)
  await expect(nested.getByText('Two lines, two tests.')).toBeVisible()
  await nested.getByRole('button', { name: /^Read.*parser\.test\.txt/ }).click()
  await expect(nested.getByRole('tree', { name: 'Input' })).toContainText('parser.test.txt')
  await expect(nested.getByRole('figure', { name: 'Output' })).toContainText('one')
  await expect(nested.getByRole('heading', { name: 'They are right' })).toBeVisible()
})

test('one dialog at any depth: breadcrumb, Esc a level at a time, siblings, and an address for each', async ({
  finished,
  page,
}) => {
  const root = finished.task('Make the parser robust')
  const tester = finished.task('Cover the parser')
  const checker = finished.task('Check the tests')
  const writer = finished.task('Write the guide')
  const address = (id: string) => new RegExp(`#/t/${root.id}/transcript/${id}$`)

  await openAt(page, finished.host, `/t/${root.id}/transcript/${checker.id}`)
  const nested = transcript(page, checker.title)
  await expect(nested.getByRole('heading', { name: 'They are right' })).toBeVisible()

  await test.step('the breadcrumb leads back without a second dialog', async () => {
    await breadcrumb(nested).getByRole('link', { name: tester.title }).click()
    await expect(transcript(page, tester.title)).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(1)
    await expect(page).toHaveURL(address(tester.id))
  })
  await test.step('the browser’s Back and a reload keep to the address', async () => {
    await page.goBack()
    await expect(nested).toBeVisible()
    await page.reload()
    await expect(nested.getByRole('heading', { name: 'They are right' })).toBeVisible()
  })
  await test.step('Esc goes up one level, then closes', async () => {
    await page.keyboard.press('Escape')
    await expect(transcript(page, tester.title)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(page).toHaveURL(new RegExp(`#/t/${root.id}$`))
  })
  await test.step('full screen has nothing beside it but the outline, and Esc leads back', async () => {
    await page.goBack()
    await expect(transcript(page, tester.title).getByText('Write the tests.')).toBeVisible()
    await page.keyboard.press('w')
    await expect(page).toHaveURL(new RegExp(`#/transcript/${tester.id}`))
    const list = page.getByRole('region', { name: `Transcript of ${tester.title}` })
    await expect(list.getByText('Write the tests.')).toBeVisible()
    await expect(page.getByRole('tree')).toHaveCount(0)
    await page.keyboard.press('o')
    const outline = page.getByRole('listbox', { name: 'Outline' })
    await outline.getByRole('option', { name: /Prompt.*Write the tests/ }).click()
    await expect(list.getByText('Write the tests.')).toBeInViewport()
    await page.getByRole('button', { name: 'Close the outline' }).click()
    await expect(outline).toBeHidden()
    const tab = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Open in a new tab' }).click()
    const other = await tab
    await expect(other.getByText('Write the tests.').first()).toBeVisible()
    await other.close()
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(address(tester.id))
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
  })
  await test.step('] and [ go to the agents beside it', async () => {
    await page.goBack()
    await expect(transcript(page, tester.title).getByText('Write the tests.')).toBeVisible()
    await page.keyboard.press(']')
    await expect(transcript(page, writer.title).getByText('Write a guide.')).toBeVisible()
    await expect(page).toHaveURL(address(writer.id))
    await page.keyboard.press('[')
    await expect(transcript(page, tester.title)).toBeVisible()
    await page.keyboard.press('[')
    await expect(transcript(page, tester.title), 'the first has none before it').toBeVisible()
  })
})

test('a link may contain a prefix of an id; an unknown one is reported', {
  tag: '@soak',
}, async ({ finished, page }) => {
  const tester = finished.task('Cover the parser')
  const prefix = tester.id.slice(0, 8)
  await openAt(page, finished.host, `/t/${prefix}`)
  await expect(conversation(page).getByRole('heading', { level: 1 })).toHaveText(tester.title)
  await expect(conversation(page).getByText('Workspace removed.')).toBeVisible()

  await page.goto('about:blank')
  const root = finished.task('Make the parser robust')
  await openAt(page, finished.host, `/t/${root.id.slice(0, 8)}/review`)
  await expect(page.getByRole('region', { name: `Review of ${root.title}` })).toBeVisible()

  await page.goto('about:blank')
  await openAt(page, finished.host, '/t/00000000-0000-4000-8000-000000000000')
  await expect(page.getByText(/^No task 00000000-/)).toBeVisible()
  await page.getByRole('button', { name: 'Open the archive' }).click()
  await expect(page.getByRole('heading', { name: 'Archive' })).toBeVisible()
})

test('a live transcript follows its end, and a reading position elsewhere does not move', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const lead = app.gate('lead')
  const helper = app.gate('helper')
  const scenario = gatedScenario({ lead: lead.command, helper: helper.command })
  const { taskId } = await start(host, project, scenario)
  await openAt(page, host, `/t/${taskId}`)
  await helper.reached()
  await card(conversation(page), 'Help along')
    .getByRole('button', { name: 'View transcript of Help along' })
    .click()
  const dialog = transcript(page, 'Help along')
  await expect(dialog.getByText('The helper has begun.')).toBeVisible()
  await expect(dialog.getByText('· live')).toBeVisible()
  await expect(dialog.getByText('The helper is past the gate.')).toBeHidden()

  await helper.open()
  await expect(dialog.getByText('The helper is past the gate.')).toBeInViewport()
  await expect(dialog.getByRole('heading', { name: 'Helped' })).toBeInViewport()
  await expect(dialog.getByText('Completed', { exact: true })).toBeVisible()
  await expect(dialog.getByText('· live')).toBeHidden()
  await lead.open()
})

test('scrolling up through a long transcript at any speed shows every entry', {
  tag: '@soak',
}, async ({ app, page }) => {
  const count = 180
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const root = await playToEnd(host, project, manyTurnsScenario(count), 'Talk')
  await openAt(page, host, `/t/${root.id}`)
  const talk = conversation(page)
  const list = talk.getByRole('region', { name: /^Transcript of / })
  await expect(talk.getByText(`Entry ${count}.`)).toBeInViewport()

  await test.step('by wheel: something of what was in view before a notch still is after it', async () => {
    await list.hover()
    for (let before = await otherEntriesIn(list, []); !before.includes(1); ) {
      // Less than the height of the list.
      await page.mouse.wheel(0, -400)
      const now = await otherEntriesIn(list, before)
      expect(
        now.filter((entry) => before.includes(entry), `${before} and then ${now}`),
      ).not.toEqual([])
      before = now
    }
  })
  await test.step('End shows the newest', async () => {
    await list.press('End')
    await expect(talk.getByText(`Entry ${count}.`)).toBeInViewport()
  })
  await test.step('by PageUp, with the focus in a row that scrolls away: a page at a time', async () => {
    // Rows that come into view are measured then, and a page can come to rest that far from its place.
    const rowsOff = 6
    await page.keyboard.press('k')
    for (let before = await otherEntriesIn(list, []); Math.min(...before) > count - 120; ) {
      await page.keyboard.press('PageUp')
      const now = await otherEntriesIn(list, before)
      expect(Math.max(...now)).toBeGreaterThanOrEqual(Math.min(...before) - 1 - rowsOff)
      before = now
    }
  })
})

/** The entries in view, once they are others and the list has come to rest with them. */
async function otherEntriesIn(list: Locator, before: number[]): Promise<number[]> {
  let now: number[] = []
  await expect
    .poll(async () => {
      now = (await entriesIn(list)) ?? []
      return now.length > 0 && String(now) !== String(before)
    })
    .toBe(true)
  return now
}

/**
 * The numbers of the entries that are in view. Null while it is on its way: a page of entries is read, or the
 * rows do not fill the view or do not adjoin each other because some are still to be made or measured.
 */
const entriesIn = (list: Locator): Promise<number[] | null> =>
  list.evaluate((box) => {
    const feed = box.querySelector('[role="feed"]')
    if (feed?.getAttribute('aria-busy') !== 'false') return null
    const view = box.getBoundingClientRect()
    const whole = feed.getBoundingClientRect()
    const rows = [...box.querySelectorAll('article')]
      .map((row) => ({ text: row.textContent, at: row.getBoundingClientRect() }))
      .filter(({ at }) => at.bottom > view.top && at.top < view.bottom)
      .sort((a, b) => a.at.top - b.at.top)
    const [first] = rows
    const last = rows.at(-1)
    if (!first || !last) return null
    const paddingPx = 24
    const isFilled =
      first.at.top <= Math.max(view.top, whole.top + paddingPx) + 1 &&
      last.at.bottom >= Math.min(view.bottom, whole.bottom - paddingPx) - 1
    const adjoin = rows.every(
      ({ at }, index) => index === 0 || Math.abs(at.top - (rows[index - 1]?.at.bottom ?? 0)) <= 1,
    )
    if (!isFilled || !adjoin) return null
    return rows.flatMap(({ text }) => {
      const entry = /Entry (\d+)\./.exec(text)?.[1]
      return entry ? [Number(entry)] : []
    })
  })

/** Counts the calls by which the page asks for a task's entries. */
function watchCalls(page: Page): (taskId: string) => number {
  const sent: string[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => sent.push(payload.toString())),
  )
  const ofEntries = /transcripts\/page|feed\/session/
  return (taskId) => sent.filter((call) => call.includes(taskId) && ofEntries.test(call)).length
}
