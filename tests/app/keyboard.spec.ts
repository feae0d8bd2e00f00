/** Everything by keyboard: no test here touches the mouse. */
import type { Page } from '@playwright/test'
import { expect, start, test } from './app.ts'
import {
  archiveList,
  conversation,
  inspector,
  openAt,
  pressPair,
  row,
  transcript,
  tree,
} from './places.ts'
import { cutShortScenario } from './scenarios.ts'

test('Tab moves through the window in order, with a visible focus', async ({ finished, page }) => {
  await openAt(page, finished.host, `/t/${finished.task('Make the parser robust').id}`)
  await expect(conversation(page).getByRole('feed')).toBeVisible()
  const passed: string[] = []
  for (let presses = 0; presses < 26; presses++) {
    await page.keyboard.press('Tab')
    passed.push(await focusedName(page))
    expect(await focusIsVisible(page), passed.at(-1)).toBe(true)
  }
  const order = [
    'Search commands and agents',
    'Add a project',
    'New agent',
    'treeitem',
    'Archive',
    'Settings',
    'Width of the sidebar',
    'parser',
    'Changes and state',
    'Transcript of Make the parser robust',
  ]
  expect(passed.filter((name) => order.includes(name))).toEqual(order)
  await page.keyboard.press('Shift+Tab')
  expect(await focusedName(page)).toBe(passed.at(-2))
})

test('the tree: j, k, arrows, Home, End, Space, Enter, and t for a transcript', async ({
  finished,
  page,
}) => {
  const root = finished.task('Make the parser robust')
  const tester = finished.task('Cover the parser')
  await openAt(page, finished.host)
  await expect(row(page, root.title)).toBeVisible()
  await page.keyboard.press('j')
  await expect(row(page, 'parser').first()).toBeFocused()
  await page.keyboard.press('j')
  await expect(row(page, root.title)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(row(page, tester.title)).toBeFocused()

  await page.keyboard.press('Space')
  await expect(row(page, tester.title)).toHaveAttribute('aria-expanded', 'false')
  await expect(row(page, 'Check the tests')).toHaveCount(0)
  await page.keyboard.press('ArrowRight')
  await expect(row(page, tester.title)).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowRight')
  await expect(row(page, 'Check the tests')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(row(page, tester.title)).toBeFocused()
  await page.keyboard.press('End')
  await expect(tree(page).getByRole('treeitem').last()).toBeFocused()
  await page.keyboard.press('Home')
  await expect(tree(page).getByRole('treeitem').first()).toBeFocused()
  await page.keyboard.press('j')
  await expect(row(page, root.title)).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(conversation(page).getByRole('heading', { level: 1 })).toHaveText(root.title)
  await expect(row(page, root.title)).toHaveAttribute('aria-selected', 'true')
  await expect(row(page, root.title)).toBeFocused()
  await page.keyboard.press('k')
  await expect(row(page, 'parser').first()).toBeFocused()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(row(page, tester.title)).toBeFocused()
  await page.keyboard.press('t')
  await expect(transcript(page, tester.title)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('dialogs: focus inside and afterwards, early letters for their field, and the browser’s Back', async ({
  finished,
  page,
}) => {
  await openAt(page, finished.host)
  await expect(row(page, 'parser').first()).toBeVisible()
  await test.step('a dialog begins in its field, and gives the focus back to what opened it', async () => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Shiplog')
    for (const [opener, title, field] of [
      ['New agent', 'New agent', 'Prompt'],
      ['Add a project', 'Add a project', 'Folder'],
    ] as const) {
      const button = page.getByRole('button', { name: opener, exact: true }).first()
      await button.focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: title })
      await expect(dialog.getByRole('textbox', { name: field })).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(button).toBeFocused()
    }
  })
  await test.step('letters that follow Ctrl+K before its field has the focus are in the field', async () => {
    // All in one turn of the page: no frame comes in between.
    const typed = await page.evaluate(async () => {
      ;(document.activeElement as HTMLElement).blur()
      const press = (key: string, ctrlKey = false) =>
        (document.activeElement ?? document.body).dispatchEvent(
          new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }),
        )
      press('k', true)
      await Promise.resolve()
      const early = document.activeElement === document.body
      for (const key of ['s', 'e', 'x', 'Backspace', 't']) press(key)
      return early
    })
    expect(typed).toBe(true)
    const field = page.getByRole('dialog').getByRole('combobox')
    await expect(field).toHaveValue('set')
    await expect(field).toBeFocused()
    await page.keyboard.type('tings')
    await expect(field).toHaveValue('settings')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
  })
  await test.step('the browser’s Back takes a dialog away with the screen below it', async () => {
    await row(page, finished.task('Make the parser robust').title).press('Enter')
    await expect(conversation(page).getByRole('feed')).toBeVisible()
    await pressPair(page, 'g', 's')
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(conversation(page).getByRole('feed')).toBeVisible()
  })
})

test('F6 moves from pane to pane on every screen, and Esc leaves the focus on the screen', async ({
  finished,
  page,
}) => {
  await openAt(page, finished.host)
  await expect(row(page, 'parser').first()).toBeVisible()
  const newAgent = page.getByRole('main').getByRole('button', { name: 'New agent…' })
  await expect(newAgent).toBeVisible()

  await test.step('wide: the tree, the screen, its prompt, and the tree again', async () => {
    await page.keyboard.press('F6')
    expect(await focusedName(page)).toBe('treeitem')
    await page.keyboard.press('F6')
    await expect(newAgent).toBeFocused()
    await page.keyboard.press('F6')
    await expect(page.getByRole('textbox', { name: 'Task for a new agent' })).toBeFocused()
    await page.keyboard.press('F6')
    expect(await focusedName(page)).toBe('treeitem')
  })
  for (const size of [
    { width: 1280, height: 800 },
    { width: 800, height: 600 },
  ]) {
    await test.step(`a dialog that a key opened leaves it on the screen, ${size.width} wide`, async () => {
      await page.setViewportSize(size)
      for (const key of ['Control+k', '?']) {
        await page.evaluate(() => (document.activeElement as HTMLElement).blur())
        await page.keyboard.press(key)
        await expect(page.getByRole('dialog')).toBeVisible()
        await page.keyboard.press('Escape')
        await expect(newAgent).toBeFocused()
      }
    })
  }
  await test.step('narrow: shows the icons and the screen, and the projects on request', async () => {
    const projects = page.getByRole('button', { name: 'Projects', exact: true })
    await page.keyboard.press('F6')
    await page.keyboard.press('F6')
    await expect(projects).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(row(page, 'parser').first()).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(projects).toBeFocused()
    await page.keyboard.press('F6')
    await expect(newAgent).toBeFocused()
  })
  await test.step('on the other screens too', async () => {
    await pressPair(page, 'g', 's')
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
    await page.keyboard.press('F6')
    await page.keyboard.press('F6')
    expect(await page.getByRole('main').locator(':focus').count()).toBe(1)
  })
})

test('narrow: an Esc after the projects were closed closes what is on screen', {
  tag: '@soak',
}, async ({ finished, page }) => {
  const root = finished.task('Make the parser robust')
  await page.setViewportSize({ width: 800, height: 600 })
  await openAt(page, finished.host, `/t/${root.id}`)
  await expect(conversation(page).getByRole('feed')).toBeVisible()
  await page.keyboard.press('i')
  await expect(inspector(page)).toBeVisible()

  await page.keyboard.press('p')
  await expect(row(page, root.title)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(row(page, root.title)).toBeHidden()
  await expect(page.getByRole('button', { name: 'Projects', exact: true })).toBeFocused()
  await expect(page.getByText('Projectsp', { exact: true })).toBeHidden()
  await page.keyboard.press('Escape')
  await expect(inspector(page)).toBeHidden()

  const tooltip = page.getByText('Search commands and agentsCtrl+K', { exact: true })
  await page.keyboard.press('i')
  await expect(inspector(page)).toBeVisible()
  await page.getByRole('button', { name: 'Search commands and agents' }).focus()
  await expect(tooltip).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(tooltip).toBeHidden()
  await expect(inspector(page)).toBeHidden()
})

test('a transcript: j and k move, Enter opens a row, [ ] and Esc', async ({ finished, page }) => {
  const root = finished.task('Make the parser robust')
  await openAt(page, finished.host, `/t/${root.id}`)
  await expect(conversation(page).getByRole('feed')).toBeVisible()
  await row(page, 'Cover the parser').focus()
  await page.keyboard.press('t')
  const dialog = transcript(page, 'Cover the parser')
  await expect(dialog.getByText('Write the tests.')).toBeVisible()
  const call = dialog.getByRole('article', { name: /^Created tests/ })
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-posinset') ?? null)
  for (let presses = 0; presses < 12; presses++) {
    const before = await focused()
    await page.keyboard.press('j')
    await expect.poll(focused).not.toBe(before)
    if (await call.evaluate((element) => element === document.activeElement)) break
  }
  await expect(call).toBeFocused()
  await page.keyboard.press('Enter')
  const open = call.getByRole('button', { expanded: true }).first()
  await expect(open).toBeVisible()
  // The palette lies over it, knows its actions, and leaves it as it was.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('find in')
  await expect(page.getByRole('option', { name: 'Find in the transcript' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(call).toBeFocused()
  await expect(open).toBeVisible()
  await page.keyboard.press('k')
  await expect(call).not.toBeFocused()
  await page.keyboard.press(']')
  await expect(transcript(page, 'Write the guide')).toBeVisible()
  await page.keyboard.press('[')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('Esc stops the agent, and asks for a second one first', { tag: '@soak' }, async ({
  app,
  page,
}) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const gate = app.gate('gate')
  const { taskId } = await start(host, project, cutShortScenario(gate.command), 'Begin')
  await openAt(page, host, `/t/${taskId}`)
  await gate.reached()
  await expect(conversation(page).getByText('This was said before the gate.')).toBeVisible()
  const asked = conversation(page).getByText('Press Esc again to stop')
  const stopped = row(page, 'Begin').getByRole('img', { name: 'Interrupted' })
  // The second press counts only soon after the first; on a busy machine it may take more than one try.
  await expect(async () => {
    if (await stopped.isVisible()) return
    await page.keyboard.press('Escape')
    await expect(asked.or(stopped)).toBeVisible({ timeout: 2_000 })
    await page.keyboard.press('Escape')
    await expect(stopped).toBeVisible({ timeout: 10_000 })
  }).toPass()
})

test('the palette finds commands and agents; ? lists every key; g a, g s, i and n go there', async ({
  finished,
  page,
}) => {
  const root = finished.task('Make the parser robust')
  await openAt(page, finished.host)
  await expect(row(page, root.title)).toBeVisible()

  await test.step('Ctrl+K, some letters, Enter', async () => {
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Commands and agents' })
    await expect(palette.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('robust')
    await expect(palette.getByRole('option').first()).toHaveText(/Make the parser robust/)
    await expect(palette.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('Enter')
    await expect(palette).toBeHidden()
    await expect(conversation(page).getByRole('heading', { level: 1 })).toHaveText(root.title)
    await page.keyboard.press('Control+k')
    await expect(palette.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('nothing has this name')
    await expect(palette.getByRole('option')).toHaveText([/^Search everything for/])
    await page.keyboard.press('Escape')
    await expect(palette).toBeHidden()
  })
  await test.step('i: the inspector, and its tabs by arrow', async () => {
    await page.keyboard.press('i')
    await inspector(page).getByRole('tab', { name: 'Changes' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect(inspector(page).getByRole('tab', { name: 'State' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(inspector(page).getByText(root.id)).toBeVisible()
    await page.keyboard.press('i')
    await expect(inspector(page)).toBeHidden()
  })
  await test.step('?: all keys', async () => {
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const label of ['Search commands and agents', 'Archive', 'Settings', 'New agent'])
      await expect(keys.getByText(label, { exact: true })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(keys).toBeHidden()
  })
  await test.step('g a: the archive, moved through by keys', async () => {
    await pressPair(page, 'g', 'a')
    const options = archiveList(page).getByRole('treeitem')
    await expect(options.first()).toBeVisible()
    await page.keyboard.press('j')
    await expect(options.first()).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('j')
    await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('k')
    await expect(options.first()).toHaveAttribute('aria-selected', 'true')
  })
  await test.step('g s: settings; n: a new agent', async () => {
    await pressPair(page, 'g', 's')
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New agent' })
    await expect(dialog.getByRole('textbox', { name: 'Prompt' })).toBeFocused()
    await page.keyboard.type('g a ? stay text here')
    await expect(dialog.getByRole('textbox', { name: 'Prompt' })).toHaveValue(
      'g a ? stay text here',
    )
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  })
})

/** The name that a screen reader says, or the role where the name is whatever the row holds. */
const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement
    const role = element?.getAttribute('role')
    if (role === 'treeitem') return role
    return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? ''
  })

const focusIsVisible = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const ringOf = (element: Element | null): boolean =>
      element !== null &&
      getComputedStyle(element).outlineStyle !== 'none' &&
      Number.parseFloat(getComputedStyle(element).outlineWidth) > 0
    const element = document.activeElement
    // A splitter's line grows; a composer's ring is drawn by the box around its text.
    if (element?.role === 'separator') return (element.firstElementChild?.clientWidth ?? 0) > 1
    return ringOf(element) || ringOf(element?.parentElement ?? null)
  })
