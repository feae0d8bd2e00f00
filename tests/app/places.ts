/** Where things are in the window, by the roles and names that a user with a screen reader has. */
import type { Locator, Page } from '@playwright/test'
import type { Host } from './app.ts'

/** Opens the app as the printed URL does; `at` is an address inside it, such as `/t/<id>`. */
export async function openAt(page: Page, host: Host, at = '/'): Promise<void> {
  await page.goto(`${host.url}&to=${at}`)
}

/** Both at once, for the second key of a pair counts only this soon after the first. */
export async function pressPair(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)])
}

export const sidebar = (page: Page): Locator => page.getByRole('navigation', { name: 'Sidebar' })
export const tree = (page: Page): Locator => page.getByRole('tree', { name: 'Projects and agents' })
/** By its own title: the second line of a row may name another agent ("Waits for Build it"). */
export const row = (page: Page, title: string): Locator =>
  tree(page)
    .getByRole('treeitem')
    .filter({ has: page.locator('[title]', { hasText: title }) })
export const conversation = (page: Page): Locator =>
  page.getByRole('region', { name: 'Conversation' })
export const composer = (page: Page): Locator => conversation(page).getByRole('textbox')
export const card = (within: Locator, title: string): Locator =>
  within.getByRole('article', { name: `Task: ${title}` }).first()
export const transcript = (page: Page, title: string): Locator =>
  page.getByRole('dialog', { name: `Transcript of ${title}` })
export const inspector = (page: Page): Locator =>
  page.getByRole('complementary', { name: 'Inspector' })
export const breadcrumb = (dialog: Locator): Locator =>
  dialog.getByRole('navigation', { name: 'Parents' })
export const archiveList = (page: Page): Locator => page.getByRole('tree', { name: 'Transcripts' })
export const reader = (page: Page): Locator => page.getByRole('region', { name: 'Reader' })
/** Hover over it to keep it: it goes away by itself. What one has said is waited for with `expectToast`. */
export const toast = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('region', { name: /Notifications/ }).getByText(text)
