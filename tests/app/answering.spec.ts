/** What was meant for something else does not answer an agent's request: clicks, held buttons, keys and typed text. */
import type { Locator, Page } from '@playwright/test'
import { type App, expect, type Host, test } from './app.ts'
import { composer, conversation, openAt } from './places.ts'

const scenario = `
version: 1
name: asking
agents:
  lead:
    turns:
      - steps:
          - call: bash
            with: { command: "touch first.txt" }
          - call: bash
            with: { command: "touch second.txt" }
          - call: bash
            with: { command: "touch third.txt" }
      - report: { title: Done, markdown: All is written. }
`

const questions = `
version: 1
name: questions
agents:
  lead:
    turns:
      - call: ask_person
        with: { question: "May I format the code?", choices: ["Yes", "No"] }
      - call: ask_person
        with: { question: "May I delete the database?", choices: ["Yes", "No"] }
      - report: { title: Done, markdown: All is answered. }
`

/** Longer than a request needs until it can be answered. */
const longMs = 1_000

test('a double click on a button that opens a step, or leaves it, does not answer', async ({
  app,
  page,
}) => {
  const { host, prompt, scope } = await asked(app, page, scenario)
  const rule = prompt.getByRole('button', { name: 'Allow with a rule…' })
  // Its beginning is where "Allow and remember" appears.
  await allowOf(prompt)
  await rule.dblclick({ position: { x: 8, y: 8 }, delay: 20 })
  await expect(prompt.getByRole('textbox')).toHaveValue('bash: touch first.txt')
  await page.waitForTimeout(longMs)
  await expect(prompt).toContainText('touch first.txt')
  expect((await host.client.permissions.settings({ scope })).rules).toEqual([])
  await prompt.getByRole('button', { name: 'Back' }).click()

  await prompt.getByRole('button', { name: 'Deny…' }).click()
  // Its beginning is where "Allow once" appears.
  await prompt
    .getByRole('button', { name: 'Back' })
    .dblclick({ position: { x: 8, y: 8 }, delay: 20 })
  await page.waitForTimeout(longMs)
  await expect(prompt).toContainText('touch first.txt')
})

test('a press that began before a request could be allowed does not allow it', async ({
  app,
  page,
}) => {
  const { prompt } = await asked(app, page, scenario)
  const allow = await allowOf(prompt)
  await allow.click()
  await shownAtOnce(page, 'touch second.txt')
  await page.mouse.down()
  await expect(allow).toBeEnabled()
  await page.mouse.up()
  await page.waitForTimeout(longMs)
  await expect(prompt).toContainText('touch second.txt')
  await allow.click()
  await expect(prompt).toContainText('touch third.txt')
})

test('after a click, a space does not allow the next request; after a key it does', async ({
  app,
  page,
}) => {
  const { prompt } = await asked(app, page, scenario)
  await (await allowOf(prompt)).click()
  await expect(prompt).toContainText('touch second.txt')
  await allowOf(prompt)
  await page.keyboard.press('Space')
  await page.waitForTimeout(longMs)
  await expect(prompt).toContainText('touch second.txt')
  await prompt.getByRole('button', { name: 'Allow once' }).press('Enter')
  await expect(prompt).toContainText('touch third.txt')
  await expect(prompt.getByRole('button', { name: 'Allow once' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(conversation(page)).toContainText('All is written.')
})

test('a double click on an answer does not answer the next question', { tag: '@soak' }, async ({
  app,
  page,
}) => {
  const { host, taskId } = await asked(app, page, questions)
  const question = page.getByRole('region', { name: 'Question' })
  await expect(question).toContainText('format the code')
  const yes = question.getByRole('button', { name: 'Yes' })
  await expect(yes).toBeEnabled()
  await yes.click()
  await shownAtOnce(page, 'delete the database')
  await page.mouse.down()
  await page.mouse.up()
  await page.waitForTimeout(longMs)
  await expect(question).toContainText('delete the database')
  await expect(yes).toBeEnabled()
  await yes.click()
  await expect(question).toHaveCount(0)
  await expect
    .poll(
      async () =>
        (await host.client.tasks.list({ all: true })).tasks.find(({ id }) => id === taskId)?.status,
    )
    .toBe('completed')
})

test('a reason that is being typed when its request is answered elsewhere runs no commands', {
  tag: '@soak',
}, async ({ app, page }) => {
  const { host, prompt } = await asked(app, page, scenario)
  await allowOf(prompt)
  await prompt.getByRole('button', { name: 'Deny…' }).click()
  await page.keyboard.type('because ')
  for await (const { questions } of await host.client.feed.permissions()) {
    const [{ id } = { id: '' }] = questions
    await host.client.permissions.answer({ id, decision: { kind: 'deny', message: '' } })
    break
  }
  await expect(prompt).toContainText('touch second.txt')
  await page.keyboard.type('not on it', { delay: 60 })
  await page.waitForTimeout(longMs)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(prompt).toContainText('touch second.txt')
  // After a pause they are commands again.
  await page.keyboard.press('n')
  await expect(page.getByRole('dialog', { name: 'New agent' })).toBeVisible()
})

test('a click or key that closes what covers a request does not answer it', async ({
  app,
  page,
}) => {
  const { prompt } = await asked(app, page, scenario)
  const allow = await allowOf(prompt)
  const at = await middleOf(allow)
  const isUnanswered = async () => {
    await page.waitForTimeout(longMs)
    await expect(prompt).toContainText('touch first.txt')
  }
  for (const [key, name] of [
    ['Control+k', 'Commands and agents'],
    ['n', 'New agent'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(page.getByRole('dialog', { name })).toBeVisible()
    await page.waitForTimeout(longMs)
    await page.mouse.dblclick(...at, { delay: 20 })
    await isUnanswered()
  }

  // The palette gives the focus back to the button.
  await allow.focus()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Dark theme')
  await expect(page.getByRole('option', { name: 'Dark theme', exact: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(allow).toBeFocused()
  await page.keyboard.press('Enter')
  await isUnanswered()
  await expect(allow).toBeFocused()

  await page.setViewportSize({ width: 800, height: 600 })
  await page.getByRole('button', { name: 'Changes and state' }).click()
  await expect(page.locator('[data-scrim]')).toBeVisible()
  await page.mouse.dblclick(...(await middleOf(allow)), { delay: 20 })
  await isUnanswered()

  await allow.press('Enter')
  await expect(prompt).toContainText('touch second.txt')
})

test('a click where a request has just moved to, or that brings the window to the front, does not answer', async ({
  app,
  page,
}) => {
  const { prompt } = await asked(app, page, scenario)
  const allow = await allowOf(prompt)
  await composer(page).fill('And tell me when it is done')
  await page.keyboard.press('Control+Enter')
  const discard = page.getByRole('button', { name: 'Discard' })
  await expect(discard).toBeVisible()
  await allowOf(prompt)
  const before = await middleOf(allow)
  await discard.click()
  await expect(discard).toHaveCount(0)
  expect(await middleOf(allow)).not.toEqual(before)
  await page.mouse.click(...(await middleOf(allow)))
  await page.waitForTimeout(longMs)
  await expect(prompt).toContainText('touch first.txt')

  await page.evaluate(() => Object.assign(document, { hasFocus: () => false }))
  await page.waitForTimeout(longMs)
  await page.evaluate(() => Object.assign(document, { hasFocus: () => true }))
  await page.mouse.click(...(await middleOf(allow)))
  await page.waitForTimeout(longMs)
  await expect(prompt).toContainText('touch first.txt')
  await allow.click()
  await expect(prompt).toContainText('touch second.txt')
})

test('the second press of a double click does not submit the dialog that the first one opened', {
  tag: '@soak',
}, async ({ app, page }) => {
  const { prompt } = await asked(app, page, scenario)
  await allowOf(prompt)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Rename')
  await page.getByRole('option', { name: 'Rename…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rename' })
  const submit = dialog.getByRole('button', { name: 'Rename' })
  await dialog.getByRole('textbox').fill('Write all notes')
  await page.mouse.move(...(await middleOf(submit)))
  // A browser counts the presses at one place, whatever is there.
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await page.waitForTimeout(longMs)
  await expect(submit).toBeVisible()
  await submit.click()
  await expect(dialog).toHaveCount(0)
  await expect(conversation(page).getByRole('heading', { level: 1 })).toHaveText('Write all notes')
})

async function asked(app: App, page: Page, played: string) {
  const host: Host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('notes') })
  const { taskId } = await host.client.tasks.start({
    projectId: project.id,
    agent: { kind: 'scripted', scenario: played, source: 'asking.yaml' },
    prompt: 'Write the notes',
    permissions: 'ask',
  })
  await openAt(page, host, `/t/${taskId}`)
  const scope = { kind: 'project', projectId: project.id } as const
  return { host, taskId, scope, prompt: page.getByRole('region', { name: 'Permission' }) }
}

/** In the next frame: `expect` may look as late as when it can be answered. */
const shownAtOnce = (page: Page, text: string) =>
  page.waitForFunction((sought) => document.body.textContent.includes(sought), text)

/** The button, once it can be pressed. */
async function allowOf(prompt: Locator): Promise<Locator> {
  const allow = prompt.getByRole('button', { name: 'Allow once' })
  await expect(allow).toBeEnabled()
  return allow
}

async function middleOf(button: Locator): Promise<[x: number, y: number]> {
  const box = await button.boundingBox()
  if (!box) throw new Error('not on the screen')
  return [box.x + box.width / 2, box.y + box.height / 2]
}
