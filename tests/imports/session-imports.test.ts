import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { replacedDir } from '../../src/main/imports/publish-session.ts'
import { createSessionImports } from '../../src/main/imports/session-imports.ts'
import { startImportThread } from '../../src/main/imports/stage/import-thread.ts'
import { stagingPrefix } from '../../src/main/imports/staging.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { openShiplog, type Shiplog } from '../../src/main/shiplog.ts'
import { createKeyedMutex } from '../../src/shared/keyed-mutex.ts'
import { emptyLedgerState } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { entriesOf, temporaryDir } from '../harness.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001' as TaskId

function logs() {
  const log = claudeLog(session)
  log.prompt('Find the albatross')
  log.calls('m1', 'c1', 'Task', {
    ...{ subagent_type: 'Explore', description: 'Look at sea', prompt: 'Look for it' },
  })
  log.returns('c1', 'It flew over the gannet.', { toolUseResult: { agentId: 'a1' } })
  log.says('m2', 'Found.')
  const agent = claudeLog('1b2c3d4e-0000-4000-8000-00000000000a', { isSidechain: true })
  agent.prompt('Look for it')
  agent.says('s1', 'It flew over the gannet.')
  return { log, agent }
}

async function folder(): Promise<{ dir: string; main: string }> {
  const { log, agent } = logs()
  const dir = await writeFiles(await temporaryDir(), {
    [`projects/-work-app/${session}.jsonl`]: log.text(),
    [`projects/-work-app/${session}/subagents/agent-a1.jsonl`]: agent.text(),
  })
  return { dir, main: join(dir, 'projects/-work-app', `${session}.jsonl`) }
}

async function opened(dataDir?: string): Promise<Shiplog> {
  const shiplog = await openShiplog({ host: 'cli', dataDir: dataDir ?? (await temporaryDir()) })
  onTestFinished(() => shiplog.close())
  return shiplog
}

async function importFrom({ client }: Shiplog, path: string) {
  const sessions = []
  const skipped = []
  for await (const event of await client.imports.run({ tool: 'claude-code', path }))
    if (event.type === 'session') sessions.push(event.session)
    else if (event.type === 'skipped') skipped.push(event.skipped)
  return { sessions, skipped }
}

const more = (text: string): string => {
  const { log } = logs()
  log.prompt(text)
  return `${log.lines.at(-1)}\n`
}

it('[I1][I3][I4] makes an archived root with its sub-agent, adds what is new, and keeps both versions of a rewritten file', async () => {
  const { dir, main } = await folder()
  const original = await readFile(main, 'utf8')
  const shiplog = await opened()
  const { client } = shiplog
  expect((await client.imports.scan({ tool: 'claude-code', path: dir })).sources).toMatchObject([
    { sessions: 1, subAgents: 1, projects: 1, imported: 0, byProject: [{ dir: '/code/app' }] },
  ])
  const first = await importFrom(shiplog, dir)
  expect(first).toMatchObject({
    sessions: [{ taskId: session, title: 'Find the albatross', linked: 1, isNew: true }],
    skipped: [],
  })
  const { tasks } = await client.tasks.list({ all: true })
  expect(tasks).toMatchObject([
    {
      ...{ id: session, imported: true, archived: true, status: 'completed' },
      importedFrom: { tool: 'claude-code', originalId: session },
      children: [{ title: 'Look at sea', callId: 'c1', hasReport: true, imported: true }],
    },
  ])
  const child = tasks[0]?.children[0]?.id as TaskId
  expect(await client.tasks.report({ taskId: child })).toMatchObject({
    reportMarkdown: 'It flew over the gannet.',
  })
  const before = await entriesOf(shiplog, session)
  expect((await client.search.find({ query: 'gannet', wait: true })).hits).not.toEqual([])

  // The same files again: nothing is written.
  const ledger = () => readFile(join(shiplog.dataDir, 'ledger.jsonl'))
  const recorded = await ledger()
  expect((await importFrom(shiplog, dir)).sessions).toMatchObject([
    { taskId: session, isNew: false, isUpdated: false, lines: first.sessions[0]?.lines },
  ])
  expect((await ledger()).equals(recorded)).toBe(true)
  expect((await client.imports.scan({ tool: 'claude-code', path: dir })).sources).toMatchObject([
    { imported: 1 },
  ])

  // It grew: the entries are the same ones, and more.
  await appendFile(main, more('And the puffin?'))
  expect((await importFrom(shiplog, dir)).sessions).toMatchObject([
    { taskId: session, isNew: false, isUpdated: true },
  ])
  const grown = await entriesOf(shiplog, session)
  expect(grown.slice(0, before.length - 1).map(({ uuid }) => uuid)).toEqual(
    before.slice(0, -1).map(({ uuid }) => uuid),
  )
  expect(grown).toHaveLength(before.length + 1)
  expect((await client.search.find({ query: 'puffin', wait: true })).hits).toMatchObject([
    { taskId: session },
  ])

  // It was written over: both versions are kept.
  await writeFile(main, original.replace('albatross', 'cormorant'))
  const rewritten = await importFrom(shiplog, dir)
  expect(rewritten.sessions).toMatchObject([{ title: 'Find the cormorant', isNew: true }])
  expect(rewritten.sessions[0]?.taskId).not.toBe(session)
  expect((await entriesOf(shiplog, session)).length).toBe(grown.length)
  expect((await importFrom(shiplog, dir)).sessions).toMatchObject([{ isNew: false }])

  // Its tool deletes a part of it: what is here stays.
  await rm(join(dir, 'projects/-work-app', session), { recursive: true })
  expect((await importFrom(shiplog, dir)).sessions).toMatchObject([
    { isNew: false, isUpdated: false },
  ])
  expect((await client.doctor.check({ repair: false })).problems).toEqual([])
  expect((await client.imports.details({ taskId: child })).details).toMatchObject({
    ...{ source: 'claude-code', toolVersion: '2.1.39', linked: 1, missing: 0 },
    files: [{ name: `${session}.jsonl` }, { name: 'subagents/agent-a1.jsonl' }],
  })
})

it('ends with the same result after a kill at any step of an update', async () => {
  const { dir, main } = await folder()
  const dataDir = await temporaryDir()
  const first = await openShiplog({ host: 'cli', dataDir })
  await importFrom(first, dir)
  await first.close()
  const archive = join(dataDir, 'archive')
  const home = join(archive, session)
  const staging = join(archive, `${stagingPrefix}${session}`)

  // Killed after the earlier version had moved away.
  await mkdir(join(staging, 'home'), { recursive: true })
  await rename(home, join(staging, replacedDir))
  const second = await opened(dataDir)
  expect((await importFrom(second, dir)).sessions).toMatchObject([
    { isNew: false, isUpdated: false },
  ])
  expect(await entriesOf(second, session)).not.toEqual([])
  await second.close()

  // Killed after the new version had its place, and before the ledger knew of it.
  const ledgerBefore = await readFile(join(dataDir, 'ledger.jsonl'))
  await appendFile(main, more('And the puffin?'))
  const third = await openShiplog({ host: 'cli', dataDir })
  await importFrom(third, dir)
  await third.close()
  await writeFile(join(dataDir, 'ledger.jsonl'), ledgerBefore)
  await rm(join(dataDir, 'ledger.snapshot.json'), { force: true })
  const fourth = await opened(dataDir)
  expect((await importFrom(fourth, dir)).sessions).toMatchObject([{ isUpdated: true }])
  const entries = await entriesOf(fourth, session)
  const { tasks } = await fourth.client.tasks.list({ all: true })
  expect(tasks).toMatchObject([{ transcriptCounts: { entries: entries.length } }])
  expect((await readdir(archive)).filter((name) => name.startsWith('.'))).toEqual([])
})

it('refuses a place without sessions, and says what to do', async () => {
  const shiplog = await opened()
  await expect(importFrom(shiplog, await temporaryDir())).rejects.toMatchObject({
    message: expect.stringContaining('Name a file or folder that has one'),
  })
})

it('goes on with the other sessions when its thread dies in the middle of one', async () => {
  const { dir, main } = await folder()
  const other = session.replace(/1$/, '2')
  await writeFile(join(dirname(main), `${other}.jsonl`), await readFile(main))
  const dataDir = await temporaryDir()
  const layout = layoutOf(dataDir)
  await mkdir(layout.archive, { recursive: true })
  let threads = 0
  const imports = createSessionImports({
    ledger: {
      state: emptyLedgerState(dataDir),
      record: async () => {},
    } as unknown as Parameters<typeof createSessionImports>[0]['ledger'],
    ...{ layout, clock: Date.now, oneAtATime: createKeyedMutex() },
    startThread() {
      const thread = startImportThread()
      if (threads++ > 0) return thread
      const stage = (...given: Parameters<typeof thread.calls.stage>) => {
        const answer = thread.calls.stage(...given)
        void thread.end()
        return answer
      }
      const { discover } = thread.calls
      return { ...thread, calls: { discover, stage } as typeof thread.calls }
    },
  })
  const kinds: string[] = []
  for await (const { type } of imports.run({ tool: 'claude-code', path: dir }))
    if (type !== 'progress') kinds.push(type)
  expect(kinds).toEqual(['skipped', 'session'])
  expect(threads).toBe(2)
})
