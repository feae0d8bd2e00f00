/**
 * A user limits a tree, is asked when the limit is reached, speaks to the running agent, and has it wrap up; speaks
 * to a sub-agent; and has a tree wait for a spent quota.
 */
import { startFakeModels } from '../fake-models/fake-models.ts'
import { call, say } from '../fake-models/script.ts'
import { expect, test } from './app.ts'
import { conversation, openAt, row, tree } from './places.ts'

test('a limit is reached, raised, and the agent takes a message and wraps up', async ({
  app,
  page,
}) => {
  const gate = app.gate('agent')
  const subGate = app.gate('sub-agent')
  const fake = await startFakeModels({
    script: {
      'Count the lines': [
        [call('bash', { command: 'wc -l README.md' })],
        [call('bash', { command: gate.command })],
        [say('Here is how it stands.'), call('bash', { command: 'ls' })],
      ],
      'Share the work': [
        [call('task', { agent: 'implement', title: 'Read the notes', prompt: 'Read the notes.' })],
        [say('Both are done.')],
      ],
      'Read the notes.': [
        [call('bash', { command: subGate.command })],
        { status: 429, retryAfter: { seconds: 3600 } },
        [call('agent_report', { title: 'Read', markdown: 'Nothing new.' })],
      ],
    },
  })
  try {
    const host = await app.serve()
    const repository = await app.repository('parser')
    const { id: projectId } = await host.client.projects.add({ dir: repository })
    await host.client.models.saveProvider({
      name: 'fake',
      kind: 'openai-compatible',
      baseUrl: fake.baseURLs.chat,
      key: fake.key,
    })
    await openAt(page, host)
    await test.step('the limits of a new agent', async () => {
      await page.keyboard.press('n')
      const start = page.getByRole('dialog', { name: 'New agent' })
      await start.getByRole('textbox', { name: 'Prompt' }).fill('Count the lines')
      await start.getByRole('button', { name: /^Limits/ }).click()
      await start.getByRole('textbox', { name: 'Tokens' }).fill('100')
      await page.keyboard.press('Escape')
    })
    const { taskId } = await host.client.tasks.start({
      projectId,
      prompt: 'Count the lines',
      budget: { tokens: 100 },
      agent: { kind: 'model', model: 'fake/deepseek-reasoner' },
      permissions: 'allow-all',
    })
    await page.goto(`${host.origin}/#/t/${taskId}`)
    const budget = conversation(page).getByRole('region', { name: 'Budget' })
    await test.step('it pauses after one turn and asks the user', async () => {
      await expect(budget).toContainText('The limit is reached')
      expect(fake.requests).toHaveLength(1)
      const needs = page.getByRole('region', { name: 'Needs you' })
      await expect(needs).toContainText('Limit reached')
      await expect(page).toHaveTitle(/^\(1\) /)
    })
    await test.step('with a larger budget it continues, and gets the user’s message', async () => {
      await host.client.tasks.setBudget({ taskId, budget: { tokens: 1_000_000 } })
      await expect(budget).toBeHidden()
      await gate.reached()
      await conversation(page).getByRole('textbox', { name: 'Follow-up' }).fill('Skip blank lines')
      await conversation(page).getByRole('button', { name: 'Send now' }).click()
      await expect(conversation(page).getByText('Will be read before the next step.')).toBeVisible()
      await conversation(page).getByRole('button', { name: 'More ways to stop' }).click()
      await page.getByRole('menuitem', { name: 'Wrap up: report now' }).click()
      await gate.open()
    })
    await test.step('its last turn makes no call', async () => {
      await expect(conversation(page).getByText('Here is how it stands.')).toBeVisible()
      await expect(conversation(page).getByText('Skip blank lines')).toBeVisible()
      await expect(conversation(page).getByText(/Wrap up now/)).toBeVisible()
      expect(JSON.stringify(fake.requests[2]?.body)).toContain('Skip blank lines')
      const statuses = async () =>
        (await host.client.tasks.list({})).tasks.map(({ status }) => status)
      await expect.poll(statuses).toEqual(['completed'])
    })
    await page.goto(`${host.origin}/#/settings`)
    await expect(page.getByRole('form', { name: 'Limits' })).toBeVisible()

    const shared = await host.client.tasks.start({
      projectId,
      prompt: 'Share the work',
      quotaWaits: 1,
      permissions: 'allow-all',
      agent: { kind: 'model', model: 'fake/deepseek-reasoner' },
    })
    await page.goto(`${host.origin}/#/t/${shared.taskId}`)
    await test.step('a sub-agent takes a message', async () => {
      await subGate.reached()
      await row(page, 'Read the notes').click()
      const field = conversation(page).getByRole('textbox', { name: 'Message' })
      await field.fill('Skip the drafts')
      await page.keyboard.press('ControlOrMeta+Enter')
      await expect(conversation(page).getByText('Will be read before the next step.')).toBeVisible()
      await subGate.open()
      await expect(conversation(page).getByText('You, while it was running')).toBeVisible()
    })
    await test.step('[Q1] its quota is spent: the tree sleeps, which every list says', async () => {
      const line = conversation(page).getByRole('region', { name: 'Sleeping' })
      await expect(line).toContainText(/Sleeping until \d\d:\d\d/)
      await expect(tree(page).getByText(/^Sleeping until/)).toBeVisible()
      await expect(page.getByRole('region', { name: /Interrupted/ })).toBeHidden()
      await page.goto(`${host.origin}/#/t/${shared.taskId}`)
      const card = conversation(page).getByRole('article', { name: 'Task: Read the notes' })
      await expect(card).toContainText(/Sleeping until/)
      await conversation(page).getByRole('button', { name: 'Wake now' }).click()
      await expect(conversation(page).getByText('Both are done.')).toBeVisible()
      const said = fake.requestsOf('Read the notes.').map(({ body }) => JSON.stringify(body))
      expect(said.at(-1)).toContain('Skip the drafts')
    })
    expect(fake.refused).toEqual([])
  } finally {
    await fake.stop()
  }
})
