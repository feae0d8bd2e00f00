/** Sessions of another tool: found in the first minute, kept, read, searched, replayed and continued. */
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { type AgentScript, ended, textChunk } from '../acp-agent/script.ts'
import { claudeLog, writeFiles } from '../imports/claude-code-log.ts'
import { type App, expect, type Host, test } from './app.ts'
import { archiveList, card, conversation, openAt, reader } from './places.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001'
const title = 'Find the albatross'

/** A home folder in which Claude Code has a session with a sub-agent that has one too, and one that it deletes soon. */
async function homeWith(app: App, cwd: string): Promise<string> {
  const log = claudeLog(session, { cwd })
  log.prompt(title)
  log.calls('m1', 'c1', 'Task', {
    subagent_type: 'Explore',
    description: 'Look at sea',
    prompt: 'Look',
  })
  log.returns('c1', 'Over the gannet.', { toolUseResult: { agentId: 'a1' } })
  log.says('m2', 'It flew over the gannet.')
  const agent = claudeLog('2b2c3d4e-0000-4000-8000-00000000000a', { cwd, isSidechain: true })
  agent.prompt('Look')
  agent.calls('s1', 'c2', 'Task', {
    subagent_type: 'Explore',
    description: 'Look below',
    prompt: 'Dive',
  })
  agent.returns('c2', 'Only herring.', { toolUseResult: { agentId: 'a2' } })
  agent.says('s2', 'Over the gannet.')
  const nested = claudeLog('4b2c3d4e-0000-4000-8000-00000000000b', { cwd, isSidechain: true })
  nested.prompt('Dive')
  nested.says('t1', 'Only herring.')
  const old = claudeLog('3b2c3d4e-0000-4000-8000-000000000002', { cwd: '/code/old' })
  old.prompt('Count the puffins')
  old.says('u1', 'Nine.')
  const home = join(app.dir, 'home')
  await writeFiles(join(home, '.claude/projects/-app'), {
    [`${session}.jsonl`]: log.text(),
    [`${session}/subagents/agent-a1.jsonl`]: agent.text(),
    [`${session}/subagents/agent-a2.jsonl`]: nested.text(),
    '3b2c3d4e-0000-4000-8000-000000000002.jsonl': old.text(),
  })
  const daysAgo28 = Date.now() / 1000 - 28 * 86_400
  await utimes(
    join(home, '.claude/projects/-app/3b2c3d4e-0000-4000-8000-000000000002.jsonl'),
    daysAgo28,
    daysAgo28,
  )
  return home
}

const serveAt = (app: App, home: string): Promise<Host> =>
  app.serve({ env: { HOME: home, CLAUDE_CONFIG_DIR: undefined, CODEX_HOME: undefined } })

const offer = (page: Page) => page.getByRole('region', { name: 'Sessions on this machine' })
const continueDialog = (page: Page) =>
  page.getByRole('dialog', { name: `Continue “${title}” in Shiplog` })

async function keepAll(page: Page): Promise<void> {
  await offer(page).getByRole('button', { name: 'Keep all' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import sessions' })
  await expect(dialog.getByText(/^Imported 2 sessions/)).toBeVisible()
  await dialog.getByRole('button', { name: title, exact: true }).click()
  await expect(reader(page).getByText(/^Imported from Claude Code/)).toBeVisible()
}

async function choosesScenario(page: Page): Promise<void> {
  const dialog = continueDialog(page)
  await dialog.getByRole('combobox', { name: 'Agent' }).click()
  await page.getByRole('option', { name: 'Scenario' }).click()
  const text = 'version: 1\nname: on\nagents:\n  lead:\n    turns:\n      - say: I go on.\n'
  await dialog
    .getByLabel('Scenario file')
    .setInputFiles({ name: 'on.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) })
}

test('keeps sessions that another tool will delete, shows a nested sub-agent, and continues in its folder', async ({
  app,
  page,
}) => {
  const project = await app.repository('project')
  const host = await serveAt(app, await homeWith(app, project))
  await openAt(page, host)
  await expect(offer(page)).toContainText('2 sessions of Claude Code')
  await expect(offer(page)).toContainText(
    'Claude Code will delete 1 of them within 5 days (cleanupPeriodDays is 30)',
  )
  await keepAll(page)

  await reader(page).getByRole('tab', { name: 'Transcript' }).click()
  await card(reader(page), 'Look at sea')
    .getByRole('button', { name: 'View transcript of Look at sea' })
    .click()
  await card(reader(page), 'Look below')
    .getByRole('button', { name: 'View transcript of Look below' })
    .click()
  await expect(reader(page).getByText('Only herring.')).toBeVisible()

  await archiveList(page)
    .getByRole('treeitem', { name: new RegExp(title) })
    .click()
  await reader(page).getByRole('button', { name: 'Continue…' }).click()
  const dialog = continueDialog(page)
  await expect(dialog).toContainText(project)
  await expect(dialog.getByText(/^The imported session ended on/)).toBeVisible()
  // As everywhere: the user's own files are not edited unless they choose it.
  await expect(dialog.getByRole('combobox', { name: 'Works in' })).toHaveText('New worktree')
  await choosesScenario(page)
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('And the puffin?')
  await dialog.getByRole('button', { name: 'Add project and start' }).click()
  await expect(conversation(page).getByText('I go on.')).toBeVisible()
  await expect(page.getByText('Continues')).toBeVisible()
  const { tasks } = await host.client.tasks.list({})
  expect(tasks[0]?.isolation).toBe('worktree')
})

test('continues an imported session with an installed agent, which gets the history', {
  tag: '@soak',
}, async ({ app, page }) => {
  const project = await app.repository('project')
  const host = await serveAt(app, await homeWith(app, project))
  const agentDir = join(app.dir, 'agent')
  const script: AgentScript = { prompts: [[textChunk('The puffin dives.'), ended()]] }
  await mkdir(agentDir)
  await writeFile(join(agentDir, 'script.json'), JSON.stringify(script))
  const program = resolve(import.meta.dirname, '../acp-agent/agent.ts')
  await host.client.agents.saveOwn({
    name: 'diver',
    command: `${process.execPath} ${program}`,
    sets: { SCRIPTED_ACP: agentDir },
  })
  await openAt(page, host)
  await keepAll(page)
  await reader(page).getByRole('button', { name: 'Continue…' }).click()
  const dialog = continueDialog(page)
  await dialog.getByRole('combobox', { name: 'Agent' }).click()
  await page.getByRole('option', { name: 'diver' }).click()
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('And the puffin?')
  await dialog.getByRole('button', { name: 'Add project and start' }).click()
  await expect(conversation(page).getByText('The puffin dives.')).toBeVisible()
  await expect(page.getByText('Continues')).toBeVisible()
  const sent = await readFile(join(agentDir, 'log.jsonl'), 'utf8')
  expect(sent).toContain('It flew over the gannet.')
  expect(sent).toContain('And the puffin?')
})

test('imports a single session of a project, and still says how to begin', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await serveAt(app, await homeWith(app, '/code/old'))
  await openAt(page, host)
  await offer(page).getByRole('button', { name: 'Choose…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import sessions' })
  await dialog.getByRole('button', { name: 'Sessions of /code/old' }).click()
  await dialog.getByRole('checkbox', { name: /^Count the puffins/ }).uncheck()
  await dialog.getByRole('button', { name: 'Import 1 session' }).click()
  await expect(dialog.getByText(/^Imported 1 session/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('link', { name: new RegExp(title) })).toBeVisible()
  await expect(page.getByText('Count the puffins')).toBeHidden()
  // What was left out is not offered again, and the first steps are still there.
  await expect(offer(page)).toBeHidden()
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
})

test('opens a log without importing it', async ({ app, page }) => {
  const host = await serveAt(app, app.dir)
  const log = claudeLog(session)
  log.prompt(title)
  log.says('m1', 'It flew over the gannet.')
  await writeFiles(app.dir, { 'a log.jsonl': log.text() })
  const place = `/opened?${new URLSearchParams({ path: join(app.dir, 'a log.jsonl') })}`
  await page.goto(`${host.url}&to=${place}`)
  const bar = page.getByRole('region', { name: 'Opened log' })
  await expect(bar).toContainText('a log.jsonl')
  await expect(page.getByText(/^Read from Claude Code/)).toBeVisible()
  await expect(page.getByText('It flew over the gannet.')).toBeVisible()
  await bar.getByRole('button', { name: 'Import' }).click()
  await expect(archiveList(page).getByRole('treeitem', { name: new RegExp(title) })).toBeVisible()

  // If the file of a session is gone, its sub-agents are left.
  const agent = claudeLog(session, { isSidechain: true })
  agent.prompt('Look at sea')
  agent.says('s1', 'Over the herring.')
  const gone = join(app.dir, 'gone')
  await writeFiles(gone, { [`${session}/subagents/agent-a1.jsonl`]: agent.text() })
  await openAt(page, host, `/opened?${new URLSearchParams({ path: gone })}`)
  await page.getByRole('list', { name: 'Sub-agents' }).getByRole('button').click()
  await expect(page.getByText('Over the herring.')).toBeVisible()

  // Dropped by a program that gives it no folder, and no path.
  await page.evaluate((text) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([text], 'dropped.jsonl'))
    const event = { bubbles: true, cancelable: true, dataTransfer }
    document.body.dispatchEvent(new DragEvent('dragover', event))
    Object.assign(window, {
      dropLog: () => document.body.dispatchEvent(new DragEvent('drop', event)),
    })
  }, log.text())
  await expect(page.getByText('Drop to open the log')).toBeVisible()
  await page.evaluate(() => (window as unknown as { dropLog(): void }).dropLog())
  await expect(page.getByText('Drop to open the log')).toHaveCount(0)
  await expect(bar).toContainText('dropped.jsonl')
  await expect(page.getByText('It flew over the gannet.')).toBeVisible()
})

test('declines the offer, chooses projects from the palette, and finds and replays an imported session', {
  tag: '@soak',
}, async ({ app, page }) => {
  const project = await app.repository('project')
  const home = await homeWith(app, project)
  const host = await serveAt(app, home)
  await openAt(page, host)
  await offer(page).getByRole('button', { name: 'Not now' }).click()
  await expect(offer(page)).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  await expect(offer(page)).toHaveCount(0)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('Import sessions')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Import sessions' })
  await dialog.getByRole('checkbox', { name: /\/code\/old/ }).click()
  await dialog.getByRole('button', { name: 'Import 1 session' }).click()
  await expect(dialog.getByText(/^Imported 1 session/)).toBeVisible()
  // The one that was left out stays left out.
  await dialog.getByRole('checkbox', { name: /^Import new and growing sessions/ }).click()
  await expect(dialog.getByText(/^Last checked/)).toBeVisible()
  await expect(dialog.getByText('Nothing new so far.')).toBeVisible()
  await dialog.getByRole('button', { name: title, exact: true }).click()

  await page.keyboard.press('Control+Shift+F')
  await page.getByRole('searchbox', { name: 'Search the whole log' }).fill('herring')
  await page
    .getByRole('button', { name: /^Sub-agent: output.*herring/ })
    .first()
    .click()
  await expect(reader(page).getByText('Only herring.')).toBeInViewport()

  await archiveList(page)
    .getByRole('treeitem', { name: new RegExp(title) })
    .click()
  await reader(page).getByRole('tab', { name: 'Transcript' }).click()
  await reader(page)
    .getByRole('button', { name: /^Replay/ })
    .click()
  await expect(page.getByRole('region', { name: /Replay/ })).toBeVisible()
})
