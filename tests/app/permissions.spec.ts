/** Permissions in the window: an agent asks, and what the user answers is what happens. */
import type { Page } from '@playwright/test'
import { expect, test } from './app.ts'
import { conversation, openAt } from './places.ts'

/** For people who look at the screens: a folder for pictures, none in a test run. */
const pictures = process.env.SHIPLOG_PICTURES

const scenario = `
version: 1
name: asking
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Write the notes, prompt: Go, background: true }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done, markdown: All notes are written. }
  worker:
    turns:
      - steps:
          - say: I will write the first note now, and check what is there before I do.
          - call: bash
            with: { command: "touch first.txt && ls" }
      - call: bash
        with: { command: "touch second.txt" }
      - call: bash
        with: { command: "rm -rf notes" }
      - report: { title: Written, markdown: Written. }
`

test('an agent asks for permission: once, with a remembered rule, and not at all', async ({
  app,
  page,
}) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('notes') })
  const { taskId } = await host.client.tasks.start({
    projectId: project.id,
    agent: { kind: 'scripted', scenario, source: 'asking.yaml' },
    prompt: 'Write the notes',
    permissions: 'ask',
  })
  await openAt(page, host, `/t/${taskId}`)
  const prompt = page.getByRole('region', { name: 'Permission' })
  await expect(prompt).toContainText('Write the notes')
  await expect(prompt).toContainText('I will write the first note now')
  await expect(page.getByRole('region', { name: 'Needs you' }).getByRole('link')).toHaveCount(1)
  await take(page, 'asked')
  await prompt.getByRole('button', { name: 'Allow once' }).click()

  await expect(prompt).toContainText('touch second.txt')
  await expect(prompt).toContainText('No sandbox')
  await page.getByRole('region', { name: 'Needs you' }).getByRole('link').click()
  await expect(page.locator(':focus').getByRole('region', { name: 'Permission' })).toBeVisible()
  // It led to the sub-agent that asks; the root shows the same question.
  await page.goBack()
  await expect(prompt).toContainText('touch second.txt')
  await prompt.getByRole('button', { name: 'Allow with a rule…' }).click()
  await expect(prompt.getByRole('textbox')).toHaveValue('bash: touch second.txt')
  await prompt.getByRole('textbox').fill('bash: touch *')
  await take(page, 'rule')
  await prompt.getByRole('button', { name: 'Allow and remember' }).click()

  await expect(prompt).toContainText('rm -rf notes')
  await prompt.getByRole('button', { name: 'Deny…' }).click()
  await prompt.getByRole('textbox').fill('Keep them.')
  await take(page, 'deny')
  await prompt.getByRole('button', { name: 'Deny', exact: true }).click()

  await expect(prompt).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Needs you' })).toHaveCount(0)
  await expect(conversation(page)).toContainText('All notes are written.')
  const scope = { kind: 'project', projectId: project.id } as const
  expect(await host.client.permissions.settings({ scope })).toEqual({
    mode: null,
    rules: [{ effect: 'allow', rule: 'bash: touch *' }],
  })
  await openAt(page, host, '/settings')
  await expect(page.getByRole('button', { name: 'Save permissions' })).toBeVisible()
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await take(page, 'settings')
  await page.getByRole('button', { name: /^Change the settings of / }).click()
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Rule 1' })).toHaveValue(
    'bash: touch *',
  )
  await take(page, 'project')
})

test('the click that answered one request does not allow the next one', async ({ app, page }) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('notes') })
  const { taskId } = await host.client.tasks.start({
    projectId: project.id,
    agent: { kind: 'scripted', scenario, source: 'asking.yaml' },
    prompt: 'Write the notes',
    permissions: 'ask',
  })
  // Timers of this duration run when the test calls them.
  await page.addInitScript(() => {
    const held: (() => void)[] = []
    const start = window.setTimeout.bind(window)
    Object.assign(window, {
      held,
      setTimeout: (run: () => void, ms?: number) => (ms === 600 ? held.push(run) : start(run, ms)),
    })
  })
  const pass = () =>
    page.evaluate(() => {
      for (const run of (window as unknown as { held: (() => void)[] }).held) run()
    })
  await openAt(page, host, `/t/${taskId}`)
  const prompt = page.getByRole('region', { name: 'Permission' })
  const allow = prompt.getByRole('button', { name: 'Allow once' })
  await expect(prompt).toContainText('touch first.txt')
  await pass()
  await allow.click()
  await expect(prompt).toContainText('touch second.txt')
  // All of it is in view, and still it can't be allowed at once.
  await expect(prompt.getByRole('status')).toHaveCount(0)
  await expect(allow).toBeDisabled()
  await pass()
  await expect(allow).toBeEnabled()
})

async function take(page: Page, name: string): Promise<void> {
  if (!pictures) return
  for (const [width, height] of [
    [1280, 800],
    [800, 600],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png` })
    }
  await page.setViewportSize({ width: 1280, height: 800 })
}
