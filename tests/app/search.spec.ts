/** Search over everything that is kept, to the exact entry and back. */
import { expect, test } from './app.ts'
import { conversation, openAt, reader, sidebar } from './places.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

test('finds a text of a removed agent, opens it at its turn, and returns to the list', async ({
  finished,
  page,
}) => {
  const tester = finished.task('Cover the parser')
  await openAt(page, finished.host)
  await expect(sidebar(page)).toBeVisible()
  await page.keyboard.press('Control+Shift+F')
  const field = page.getByRole('searchbox', { name: 'Search the whole log' })
  await expect(field).toBeFocused()
  await expect(page.getByRole('button', { name: 'tool:bash is:error' })).toBeVisible()

  await field.fill('them checked')
  const group = page.getByRole('region', { name: tester.title })
  const hit = group.getByRole('button', { name: /^Message.*I write the tests/ })
  await expect(hit).toContainText('them checked')
  await expect(page).toHaveURL(/#\/search\?q=them\+checked$/)
  await hit.click()
  await expect(page).toHaveURL(
    new RegExp(`#/archive/${tester.id}/transcript\\?seq=\\d+&find=them\\+checked$`),
  )
  await expect(reader(page).getByText('I write the tests, and have them checked.')).toBeInViewport()
  await expect(reader(page).getByRole('searchbox', { name: 'Find' })).toHaveValue('them checked')
  await expect(reader(page).getByRole('search').getByRole('status')).toHaveText('1 of 1')

  const message = reader(page).getByRole('article').filter({ hasText: 'them checked.' })
  await message.hover()
  await message.getByRole('button', { name: 'Copy link' }).click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toMatch(new RegExp(`^${finished.host.origin}/#/t/${tester.id}\\?seq=\\d+$`))
  await page.goto(link)
  await expect(conversation(page).getByText('and have them checked.')).toBeInViewport()
  // The bar of the filter comes, and the entry stays.
  await page.keyboard.press('f')
  await expect(page).toHaveURL(/\?seq=\d+&show=all$/)
  await page.goBack()
  await page.goBack()

  await page.goBack()
  await expect(field).toHaveValue('them checked')
  await expect(hit).toHaveAttribute('aria-current', 'true')
  await page.getByRole('button', { name: 'Save this search' }).click()
  await field.fill('')
  await expect(page.getByRole('region', { name: 'Saved searches' })).toContainText('them checked')
  await field.fill('is:nonsense')
  await expect(page.getByText('is:nonsense is not known.')).toBeVisible()
  await field.fill('arser kind:title')
  await expect(page.getByRole('status').filter({ hasText: /match/ })).toBeVisible()
  await field.press('ArrowDown')
  await field.press('Enter')
  await expect(page).not.toHaveURL(/#\/search/)
})
