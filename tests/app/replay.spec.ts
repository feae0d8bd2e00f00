/** Replay: a transcript moved through time, with the files as they were. */
import { expect, test } from './app.ts'
import { openAt, reader, transcript } from './places.ts'

test('[V5] replays a removed sub-agent from a link: turn by turn, with its files then, and back out', async ({
  finished,
  page,
}) => {
  const root = finished.task('Make the parser robust')
  const tester = finished.task('Cover the parser')
  await openAt(page, finished.host, `/t/${root.id}/transcript/${tester.id}`)
  const dialog = transcript(page, tester.title)
  await expect(dialog.getByText('Write the tests.', { exact: true })).toBeVisible()
  const report = dialog.getByRole('heading', { name: 'Two tests' })
  await expect(report).toBeVisible()
  const slider = dialog.getByRole('slider', { name: 'Moment' })
  const files = dialog.getByRole('tabpanel', { name: 'Files' })

  await test.step('it opens by key, and steps by turn', async () => {
    await page.keyboard.press('p')
    await expect(slider).toBeFocused()
    await slider.press('Home')
    await expect(slider).toHaveAttribute('aria-valuetext', /^Start, \d\d:\d\d:\d\d$/)
    await expect(report).toBeHidden()
    await expect(dialog.getByText('Write the tests.', { exact: true })).toBeHidden()
    await slider.press('Shift+ArrowRight')
    await expect(dialog.getByText('Write the tests.', { exact: true })).toBeVisible()
  })
  await test.step('the files are those of the moment', async () => {
    await dialog.getByRole('tab', { name: 'Files' }).click()
    await dialog.getByRole('combobox', { name: 'Files to show' }).click()
    await page.getByRole('option', { name: 'All files' }).click()
    await expect(files.getByRole('button', { name: /^tests/ })).toBeHidden()
    await slider.focus()
    await slider.press('End')
    await files.getByRole('button', { name: /^tests/ }).click()
    await files.getByRole('button', { name: /^parser\.test\.txt/ }).click()
    await expect(files.getByText('two')).toBeVisible()
  })
  await test.step('a link leads to the moment', async () => {
    await slider.press('Home')
    await expect(page).toHaveURL(/\?seq=\d&replay$/)
    await page.reload()
    await expect(slider).toHaveAttribute('aria-valuetext', /^Start, /)
    await expect(report).toBeHidden()
  })
  await test.step('closed, the transcript is whole again', async () => {
    await dialog.getByRole('button', { name: 'Close the replay' }).click()
    await expect(slider).toBeHidden()
    await expect(page).not.toHaveURL(/replay/)
    await expect(report).toBeVisible()
  })
  await test.step('Esc ends the replay, and only then closes the transcript', async () => {
    await page.keyboard.press('p')
    await expect(slider).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(slider).toBeHidden()
    await expect(report).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  })
  await test.step('the same keys open and end it in the archive', async () => {
    await page.evaluate((id) => window.location.assign(`#/archive/${id}/transcript`), tester.id)
    await expect(reader(page).getByRole('heading', { name: 'Two tests' })).toBeVisible()
    await page.keyboard.press('p')
    const moment = reader(page).getByRole('slider', { name: 'Moment' })
    await expect(moment).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(moment).toBeHidden()
    await expect(page).toHaveURL(/archive/)
  })
})
