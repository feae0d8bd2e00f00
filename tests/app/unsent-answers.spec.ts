/** What is typed for an agent's question is kept until it is sent, and shown when it can't be sent any more. */
import type { Page } from '@playwright/test'
import { type App, expect, expectToast, type Host, test } from './app.ts'
import { openAt, sidebar, toast } from './places.ts'

const scenario = `
version: 1
name: questions
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Ask for it, prompt: Go, background: true }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: All is done. }
  worker:
    turns:
      - call: ask_person
        with: { question: "May I format the code?", choices: ["Yes", "No"] }
      - call: bash
        with: { command: "touch first.txt" }
      - report: { title: Done, markdown: All is answered. }
`

/** Longer than the notice of the first Esc. */
const noticeMs = 4_000

test('an answer that is being typed outlives its screen, a reload and the first Esc', async ({
  app,
  page,
}) => {
  const { host, taskId } = await asked(app, page)
  const question = page.getByRole('region', { name: 'Question' })
  const field = question.getByRole('textbox')
  await field.fill('Only what I wrote')
  await sidebar(page).getByRole('link', { name: 'Settings' }).click()
  await expect(question).toHaveCount(0)
  await page.goBack()
  await expect(field).toHaveValue('Only what I wrote')

  await page.getByRole('region', { name: 'Needs you' }).getByRole('link').click()
  await expect(page.getByText('This is a sub-agent of')).toBeVisible()
  await expect(field).toHaveValue('Only what I wrote')
  await field.press('End')
  await field.pressSequentially(', please')
  await page.keyboard.press('Escape')
  await expect(page.getByText('Press Esc again to stop')).toBeVisible()
  await expect(field).toHaveValue('Only what I wrote, please')
  await expect(field).toBeFocused()
  await page.waitForTimeout(noticeMs)
  await expect(page.getByText('This is a sub-agent of')).toBeVisible()

  await page.reload()
  await expect(field).toHaveValue('Only what I wrote, please')
  // Sent by a key only once it was there to be read.
  await expect(question.getByRole('button', { name: 'Answer' })).toBeEnabled()
  await field.press('Control+Enter')
  await expect(question).toHaveCount(0)

  const prompt = page.getByRole('region', { name: 'Permission' })
  await prompt.getByRole('button', { name: 'Deny…' }).click()
  await expect(prompt.getByRole('textbox')).toHaveValue('')
  await prompt.getByRole('textbox').fill('Use make')
  await openAt(page, host, `/t/${taskId}`)
  await prompt.getByRole('button', { name: 'Deny…' }).click()
  await expect(prompt.getByRole('textbox')).toHaveValue('Use make')
})

test('an answer whose question was answered elsewhere can be copied', { tag: '@soak' }, async ({
  app,
  page,
}) => {
  const { host } = await asked(app, page)
  const question = page.getByRole('region', { name: 'Question' })
  await question.getByRole('textbox').fill('Only what I wrote')
  await sidebar(page).getByRole('link', { name: 'Settings' }).click()
  for await (const { questions } of await host.client.feed.permissions()) {
    const [{ id } = { id: '' }] = questions
    await host.client.permissions.answer({ id, decision: { kind: 'answer', text: 'Yes' } })
    break
  }
  await expectToast(page, /^Your answer was not sent/)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const notice = toast(page, /^Your answer was not sent/)
  await expect(toast(page, 'Only what I wrote')).toBeVisible()
  await page.getByRole('button', { name: 'Copy it' }).click()
  await expect(notice).toHaveCount(0)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Only what I wrote')
})

test('of two answers given at once, the one that comes second is reported', {
  tag: '@soak',
}, async ({ app, page }) => {
  const { host } = await asked(app, page)
  const question = page.getByRole('region', { name: 'Question' })
  const no = question.getByRole('button', { name: 'No' })
  await expect(no).toBeEnabled()
  // The page learns of the other answer only after its own.
  await page.evaluate(() => {
    const send = WebSocket.prototype.send
    WebSocket.prototype.send = function (data) {
      setTimeout(() => send.call(this, data), 1_500)
    }
  })
  await no.click()
  for await (const { questions } of await host.client.feed.permissions()) {
    const [{ id } = { id: '' }] = questions
    await host.client.permissions.answer({ id, decision: { kind: 'answer', text: 'Yes' } })
    break
  }
  await expect(question).toHaveCount(0)
  await expectToast(page, /^Your answer was not sent/)
})

test('an answer that a host did not get before it ended can be copied', { tag: '@soak' }, async ({
  app,
  page,
  faults,
}) => {
  faults.expected(/WebSocket connection to/)
  const { host } = await asked(app, page)
  const question = page.getByRole('region', { name: 'Question' })
  await question.getByRole('textbox').fill('Only what I wrote')
  await page.evaluate(() => {
    const send = WebSocket.prototype.send
    WebSocket.prototype.send = function (data) {
      // The answer is on its way when the host ends; the next one's connection has what it sends.
      if (!String(data).includes('Only what')) send.call(this, data)
    }
  })
  await question.getByRole('button', { name: 'Answer' }).click()
  await host.kill()
  await app.serve({ port: host.port })
  await expect(question).toHaveCount(0)
  await expectToast(page, /^Your answer was not sent/)
  await expect(toast(page, 'Only what I wrote')).toBeVisible()
})

async function asked(app: App, page: Page) {
  const host: Host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('notes') })
  const { taskId } = await host.client.tasks.start({
    projectId: project.id,
    agent: { kind: 'scripted', scenario, source: 'questions.yaml' },
    prompt: 'Write the notes',
    permissions: 'ask',
  })
  await openAt(page, host, `/t/${taskId}`)
  await expect(page.getByRole('region', { name: 'Question' })).toBeVisible()
  return { host, taskId }
}
