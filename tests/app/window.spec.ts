/** The window: narrow and wide, light and dark, and what it remembers. */
import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { expect, type Finished, test } from './app.ts'
import { conversation, inspector, openAt, row, sidebar, tree } from './places.ts'

test.describe('at 800x600', () => {
  test.use({ viewport: { width: 800, height: 600 } })

  test('the sidebar folds to icons and comes out as a sheet; so does the inspector', async ({
    finished,
    page,
  }) => {
    const root = finished.task('Make the parser robust')
    await openAt(page, finished.host)
    await expect(tree(page)).toBeHidden()
    await sidebar(page).getByRole('button', { name: 'Projects' }).click()
    await row(page, root.title).click()
    await expect(tree(page)).toBeHidden()
    await expect(conversation(page).getByRole('heading', { level: 1 })).toHaveText(root.title)

    await page.keyboard.press('p')
    await expect(tree(page)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(tree(page)).toBeHidden()

    await conversation(page).getByRole('button', { name: 'Changes and state' }).click()
    await expect(inspector(page).getByRole('button', { name: 'Apply to main' })).toBeVisible()
    const sheet = await inspector(page).boundingBox()
    expect((sheet?.x ?? 0) + (sheet?.width ?? 0)).toBe(800)
    await page.keyboard.press('Escape')
    await expect(inspector(page)).toBeHidden()
  })
})

test('no screen is wider than the window, zoomed to 200 % as well, and none breaks a rule of accessibility', async ({
  finished,
  page,
}) => {
  await openAt(page, finished.host)
  await page.evaluate(axe.source)
  for (const [at, shown] of screens(finished)) {
    // As a link that is followed inside the page.
    await page.evaluate((address) => window.location.assign(`#${address}`), at)
    for (const size of [
      // 1280x800 at 200 %.
      { width: 640, height: 400 },
      { width: 800, height: 600 },
      { width: 1280, height: 800 },
    ]) {
      await page.setViewportSize(size)
      await expect(page.getByText(shown).first(), `${at} ${size.width}`).toBeVisible()
      expect(await overflowing(page), `${at} ${size.width}`).toEqual([])
    }
    expect(await violations(page), at).toEqual([])
    // All that differs are colours.
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page, ['color-contrast']), `${at} dark`).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
  }
})

test('light and dark follow the system, can be set, and stay set', { tag: '@soak' }, async ({
  finished,
  page,
}) => {
  const background = () =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+(\.\d+)?/g))
  const isDark = async () => {
    const [first = '255'] = (await background()) ?? []
    // rgb() or, where the theme is in another colour space, lightness from 0 to 1.
    return Number(first) < (first.includes('.') ? 0.5 : 128)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await openAt(page, finished.host, '/settings')
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  await expect.poll(isDark).toBe(false)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(isDark).toBe(true)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('option', { name: 'Light theme' })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByRole('combobox', { name: 'Theme' }).click()
  await page.getByRole('option', { name: 'Light' }).click()
  await expect.poll(isDark).toBe(false)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  await expect.poll(isDark).toBe(false)
  await expect(page.getByRole('combobox', { name: 'Theme' })).toHaveText('Light')

  // The palette offers the theme that is not shown.
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Dark theme' }).click()
  await expect.poll(isDark).toBe(true)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('option', { name: 'Light theme' })).toBeVisible()
})

test('the sidebar’s width and its folded rows are remembered', { tag: '@soak' }, async ({
  finished,
  page,
}) => {
  await openAt(page, finished.host)
  const splitter = page.getByRole('separator', { name: 'Width of the sidebar' })
  const width = async () => (await sidebar(page).boundingBox())?.width
  const before = Number(await splitter.getAttribute('aria-valuenow'))
  await splitter.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  const after = before + 32
  await expect(splitter).toHaveAttribute('aria-valuenow', String(after))
  await expect.poll(width).toBe(after)
  await row(page, 'Make the parser robust').focus()
  await page.keyboard.press('Space')
  await expect(row(page, 'Write the guide')).toHaveCount(0)
  await page.reload()
  await expect(row(page, 'Make the parser robust')).toBeVisible()
  await expect(row(page, 'Write the guide')).toHaveCount(0)
  await expect.poll(width).toBe(after)
})

test('the sidebar shows the row of the current task, and does not disturb scrolling or folding', {
  tag: '@soak',
}, async ({ finished, page }) => {
  // So low that the tree has to scroll.
  await page.setViewportSize({ width: 1280, height: 240 })
  await openAt(page, finished.host)
  const root = row(page, 'Make the parser robust')
  const rows = tree(page).getByRole('treeitem')
  await root.focus()
  await page.keyboard.press('Space')
  await expect(rows).toHaveCount(2)
  const guide = finished.task('Write the guide').id
  // As a link that is followed inside the page.
  await page.evaluate((id) => window.location.assign(`#/t/${id}`), guide)
  const chosen = row(page, 'Write the guide')
  await expect(chosen).toHaveAttribute('aria-selected', 'true')
  await expect(chosen).toBeInViewport({ ratio: 1 })

  await test.step('scrolled away, it stays away when the rows change', async () => {
    const top = () => tree(page).evaluate((element) => element.scrollTop)
    expect(await top()).toBeGreaterThan(0)
    await tree(page).evaluate((element) => element.scrollTo(0, 0))
    expect(await top()).toBe(0)
    await row(page, 'parser').first().press('ArrowLeft')
    await expect(rows).toHaveCount(1)
    await row(page, 'parser').first().press('ArrowRight')
    await expect(chosen).toBeAttached()
    expect(await top()).toBe(0)
  })
  await test.step('a reload of its address shows it again, by the beginning of its id as well', async () => {
    await page.goto('about:blank')
    await openAt(page, finished.host, `/t/${guide.slice(0, 12)}`)
    await expect(chosen).toHaveAttribute('aria-selected', 'true')
    await expect(chosen).toBeInViewport({ ratio: 1 })
  })
})

/** Every screen, and a text by which one sees that it is there. */
function screens(finished: Finished): [address: string, shown: string][] {
  const root = finished.task('Make the parser robust').id
  const tester = finished.task('Cover the parser').id
  return [
    ['/', 'New agent…'],
    [`/p/${finished.project.id}`, finished.project.dir],
    [`/t/${root}`, 'The parser is covered'],
    [`/t/${root}/transcript/${tester}`, 'Write the tests.'],
    ['/archive', 'Write the guide'],
    [`/archive/${tester}/report`, 'Both pass.'],
    [`/archive/${tester}/transcript`, 'Write the tests.'],
    [`/transcript/${tester}?show=tools`, 'Created'],
    [`/transcript/${root}?replay`, 'Turn'],
    [`/t/${root}/review`, '0 of 2 viewed'],
    ['/search?q=parser', 'Make the parser robust'],
    ['/settings', 'Reports, transcripts, patches and worktrees.'],
  ]
}

/** What axe finds, a line each; `rules`: only these. */
const violations = (page: Page, rules?: string[]): Promise<string[]> =>
  page.evaluate(async (only) => {
    const { run } = (window as unknown as { axe: typeof axe }).axe
    const found = await run({
      resultTypes: ['violations'],
      ...(only && { runOnly: { type: 'rule', values: only } }),
    })
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
    )
  }, rules)

/** Elements that reach past the window's edge and are not inside something that scrolls. */
const overflowing = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const reaches = (element: Element) => element.getBoundingClientRect().right > innerWidth + 1
    const isClipped = (element: Element): boolean => {
      const { parentElement } = element
      if (!parentElement) return false
      const { overflowX } = getComputedStyle(parentElement)
      return (overflowX !== 'visible' && !reaches(parentElement)) || isClipped(parentElement)
    }
    return [...document.body.querySelectorAll('*')]
      .filter((element) => reaches(element) && !isClipped(element))
      .map((element) => element.outerHTML.slice(0, 120))
  })
