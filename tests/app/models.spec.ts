/** A user with an empty app sets a model up, adds a project and gets a first answer; then another model goes on. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { startFakeModels } from '../fake-models/fake-models.ts'
import { call, say } from '../fake-models/script.ts'
import { png } from '../images.ts'
import { expect, test } from './app.ts'
import { conversation, openAt } from './places.ts'

test('from an empty app to the first answer of a model, and on with another one', async ({
  app,
  page,
}) => {
  const fake = await startFakeModels({
    script: {
      'connection test': [[call('report_ready', { word: 'ready' })]],
      'Say hello': [
        [call('write_file', { path: 'hello.txt', content: 'Hello\n' })],
        [say('The file is written.')],
        [say('It says Hello.')],
      ],
    },
  })
  try {
    const host = await app.serve()
    const repository = await app.repository('parser')
    await openAt(page, host)
    const steps = page.getByRole('list', { name: 'First steps' })
    const dialog = (name: string) => page.getByRole('dialog', { name })
    await test.step('a server with its key', async () => {
      await steps.getByRole('button', { name: 'Set up a model…' }).click()
      await page.getByRole('menuitem', { name: 'A server of your own…' }).click()
      const server = dialog('Add a server')
      await server.getByRole('textbox', { name: 'Name' }).fill('fake')
      await server.getByRole('textbox', { name: 'Address' }).fill(fake.baseURLs.chat)
      await server.getByLabel('Key, if the server needs one').fill(fake.key)
      await server.getByRole('button', { name: 'Save' }).click()
      await expect(steps.getByText('fake: Key in a file only you can read')).toBeVisible()
    })
    await test.step('a project', async () => {
      await steps.getByRole('button', { name: 'Add a project…' }).click()
      await dialog('Add a project').getByRole('textbox', { name: 'Folder' }).fill(repository)
      await dialog('Add a project').getByRole('button', { name: 'Add project' }).click()
      await expect(dialog('Add a project')).toBeHidden()
    })
    await test.step('an agent writes a file once it is allowed to', async () => {
      await page.keyboard.press('n')
      const start = dialog('New agent')
      await start.getByRole('textbox', { name: 'Prompt' }).fill('Say hello')
      await start.getByRole('combobox', { name: 'Model' }).fill('fake/deepseek')
      await page.getByRole('option', { name: 'fake/deepseek-reasoner' }).click()
      await start.getByRole('button', { name: /^Start/ }).click()
      await expect(conversation(page).getByText('hello.txt').first()).toBeVisible()
      await conversation(page)
        .getByRole('button', { name: /^Allow/ })
        .first()
        .click()
      await expect(conversation(page).getByText('The file is written.')).toBeVisible()
    })
    await test.step('a follow-up names the file and goes to another model', async () => {
      const field = conversation(page).getByRole('textbox')
      await field.pressSequentially('/mod')
      await page.keyboard.press('Enter')
      await page.getByRole('combobox', { name: 'Agents and models' }).fill('qwen')
      await expect(page.getByRole('option', { name: 'fake/qwen3-coder' })).toBeVisible()
      await page.keyboard.press('Enter')
      await expect(conversation(page).getByRole('button', { name: /^Model: .*qwen/ })).toBeVisible()
      await expect(field).toBeFocused()
      await page.keyboard.type('What is in @hel')
      await expect(page.getByRole('option', { name: 'hello.txt' })).toBeVisible()
      await page.keyboard.press('Enter')
      await expect(field).toHaveValue('What is in @hello.txt ')
      await conversation(page)
        .locator('input[type=file]')
        .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png })
      const images = page.getByRole('list', { name: 'Images' })
      await expect(images.getByRole('img')).toBeVisible()
      // It is shown a moment before the browser has stored it.
      await expect.poll(() => imageDraftsIn(page)).toBe(1)
      await page.reload()
      await expect(images.getByRole('img')).toBeVisible()
      await expect(field).toHaveValue('What is in @hello.txt ')
      await field.focus()
      await page.keyboard.press('ControlOrMeta+Enter')
      await expect(conversation(page).getByText('It says Hello.')).toBeVisible()
      expect(fake.requests.at(-1)?.body).toMatchObject({ model: 'qwen3-coder' })
      expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('What is in @hello.txt')
      expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain(png.toString('base64'))
      await expect(conversation(page).getByRole('button', { name: /^Image, PNG/ })).toBeVisible()
    })
    await test.step('in Settings a model answers and calls tools, and is the default', async () => {
      await openAt(page, host, '/settings')
      await page.getByRole('combobox', { name: 'Default model' }).fill('fake/')
      await page.getByRole('option').first().click()
      await page.getByRole('button', { name: 'Test' }).click()
      await expect(page.getByText('and calls tools.')).toBeVisible()
      await page.getByRole('button', { name: 'Save models' }).click()
      await expect
        .poll(async () => (await host.client.models.providers()).defaultModel)
        .toMatch(/^fake\//)
    })
    // No key is in the record.
    const [task] = (await host.client.tasks.list({ all: true })).tasks
    const chat = path.join(app.dataDir, 'sessions', task?.id ?? '', 'chat.jsonl')
    expect(await readFile(chat, 'utf8')).not.toContain(fake.key)
    expect(fake.refused).toEqual([])
  } finally {
    await fake.stop()
  }
})

test('after a run of a scenario, the home screen still leads to the settings of models', {
  tag: '@soak',
}, async ({ finished, page }) => {
  await openAt(page, finished.host)
  await page.getByRole('link', { name: 'Home' }).click()
  const main = page.getByRole('main')
  await expect(main.getByText('No model is set up')).toBeVisible()
  await main.getByRole('button', { name: 'Set up a model…' }).click()
  await expect(main.getByRole('heading', { name: 'Models' })).toBeInViewport()
})

/** The number of unsent prompts whose images the browser has stored. */
const imageDraftsIn = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('shiplog.image-drafts')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const counting = opening.result.transaction('drafts').objectStore('drafts').count()
          counting.onerror = () => reject(counting.error)
          counting.onsuccess = () => {
            opening.result.close()
            resolve(counting.result)
          }
        }
      }),
  )
