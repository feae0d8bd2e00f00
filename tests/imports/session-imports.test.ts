import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import { createSessionImports } from '../../src/main/imports/session-imports.ts'
import { startImportThread } from '../../src/main/imports/stage/import-thread.ts'
import { replacedDir, stagingDir } from '../../src/main/imports/staging.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { createKeyedMutex } from '../../src/shared/async/keyed-mutex.ts'
import { emptyLedgerState } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { entriesOf, temporaryDir } from '../harness.ts'
import { asUnprivilegedUser } from '../unprivileged.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'
import { codexLog, codexStartMs, rolloutName, rolloutPath, threadIdAt } from './codex-log.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001' as TaskId

function logs() {
  const log = claudeLog(session)
  log.prompt('Find the albatross')
  log.calls('m1', 'c1', 'Task', {
    subagent_type: 'Explore',
    description: 'Look at sea',
    prompt: 'Look for it',
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
  let progress = { sessions: 0, sessionsTotal: 0, bytes: 0, bytesTotal: 0 }
  for await (const event of await client.imports.run({ tool: 'claude-code', path }))
    if (event.type === 'session') sessions.push(event.session)
    else if (event.type === 'skipped') skipped.push(event.skipped)
    else progress = event
  return { sessions, skipped, progress }
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
  const listed = (folder: string | null) =>
    client.imports.sessions({ tool: 'claude-code', path: dir, dir: folder })
  expect(await listed('/code/app')).toMatchObject({
    sessions: [{ session, title: 'Find the albatross', imported: false, expiringSoon: false }],
    more: 0,
  })
  expect(await listed(null)).toEqual({ sessions: [], more: 0 })
  const leavingOut = client.imports.run({ tool: 'claude-code', path: dir, except: [session] })
  await expect(leavingOut.then((events) => events.next())).rejects.toThrow('No session')
  const first = await importFrom(shiplog, dir)
  expect(first).toMatchObject({
    sessions: [{ taskId: session, title: 'Find the albatross', linked: 1, isNew: true }],
    skipped: [],
  })
  const { tasks } = await client.tasks.list({ all: true })
  expect(tasks).toMatchObject([
    {
      id: session,
      imported: true,
      archived: true,
      status: 'completed',
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

  const from = async (source: 'claude-code' | 'codex' | 'here') => [
    (await client.search.find({ query: `gannet source:${source}`, wait: true })).hits.length > 0,
    (await client.tasks.list({ source, all: true })).tasks.length,
  ]
  expect(await from('claude-code')).toEqual([true, 1])
  expect([...(await from('codex')), ...(await from('here'))]).toEqual([false, 0, false, 0])

  expect(await listed('/code/app')).toMatchObject({ sessions: [{ imported: true }] })

  // The same files again: nothing is written.
  const ledger = () => readFile(join(shiplog.dataDir, 'ledger.jsonl'))
  const recorded = await ledger()
  expect(first.progress.bytes).toBe(first.progress.bytesTotal)
  expect(first.progress.bytes).toBeGreaterThan(0)
  expect(await importFrom(shiplog, dir)).toMatchObject({
    sessions: [
      { taskId: session, isNew: false, isUpdated: false, lines: first.sessions[0]?.lines },
    ],
    progress: { sessions: 1, sessionsTotal: 1, bytes: 0, bytesTotal: 0 },
  })
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

  // It was written over, and is longer: both versions are kept.
  const writtenOver = original.replace('albatross', 'cormorant')
  await writeFile(main, writtenOver + more('And the puffin?') + more('And the auk?'))
  const rewritten = await importFrom(shiplog, dir)
  expect(rewritten.sessions).toMatchObject([{ title: 'Find the cormorant', isNew: true }])
  expect(rewritten.sessions[0]?.taskId).not.toBe(session)
  expect((await entriesOf(shiplog, session)).length).toBe(grown.length)
  expect((await importFrom(shiplog, dir)).sessions).toMatchObject([{ isNew: false }])

  // Only those that are named.
  const none = await client.imports.run({
    tool: 'claude-code',
    path: dir,
    sessions: ['another'],
  })
  await expect(none.next()).rejects.toThrow('No session of Claude Code was found')
  const gone = join(dir, 'gone')
  const nowhere = await client.imports.run({ tool: 'claude-code', path: gone })
  await expect(nowhere.next()).rejects.toThrow(`There is no file or folder ${gone}.`)

  // Deleted, and taken back.
  await client.workspace.trash({ workspaceId: session })
  expect((await importFrom(shiplog, dir)).skipped[0]?.reason).toContain('in the trash')
  const back = await client.workspace.restore({ workspaceId: session })
  expect(back).toEqual({ restored: [], left: [] })
  expect((await client.tasks.list({ all: true })).tasks).toHaveLength(2)

  // Its tool deletes a part of it: what is here stays.
  await rm(join(dir, 'projects/-work-app', session), { recursive: true })
  expect((await importFrom(shiplog, dir)).sessions).toMatchObject([
    { isNew: false, isUpdated: false },
  ])
  await appendFile(main, more('And the gull?'))
  const afterwards = await importFrom(shiplog, dir)
  expect(afterwards.sessions).toMatchObject([{ isNew: true }])
  const { tasks: kept } = await client.tasks.list({ all: true })
  const agentsOf = (id?: string) => kept.find((task) => task.id === id)?.children
  expect(agentsOf(rewritten.sessions[0]?.taskId)).toMatchObject([{ hasReport: true }])
  expect(agentsOf(afterwards.sessions[0]?.taskId)).toEqual([])
  expect((await client.doctor.check({ repair: false })).problems).toEqual([])
  expect(await client.turnFiles.folder({ taskId: child, seq: 3, path: '' })).toMatchObject({
    reason: 'before',
    message: expect.stringContaining('does not contain the files'),
  })
  expect((await client.imports.details({ taskId: child })).details).toMatchObject({
    source: 'claude-code',
    toolVersion: '2.1.39',
    linked: 1,
    missing: 0,
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
  const layout = layoutOf(dataDir)

  // Killed after the earlier version had moved away.
  await mkdir(stagingDir(layout, session))
  await rename(home, replacedDir(layout, session))
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

it('[I3] recognizes a compressed, archived rollout of Codex as already imported, and continues it as a fork', async () => {
  const id = threadIdAt(codexStartMs)
  const log = codexLog(id)
  log.turn()
  log.prompt('Find the auk')
  log.says('Found.')
  const dir = await writeFiles(await temporaryDir(), { [rolloutPath(id)]: log.text() })
  const shiplog = await opened()
  const run = async () => {
    const found = []
    for await (const event of await shiplog.client.imports.run({ tool: 'codex', path: dir }))
      if (event.type === 'session') found.push(event.session)
    return found
  }
  expect(await run()).toMatchObject([{ title: 'Find the auk', isNew: true }])
  const archived = join(dir, 'archived_sessions')
  await mkdir(archived)
  await rm(join(dir, rolloutPath(id)))
  const path = join(archived, `${rolloutName(id)}.zst`)
  await writeFile(path, zstdCompressSync(Buffer.from(log.text())))
  expect(await run()).toMatchObject([{ isNew: false, isUpdated: false }])
  // It was taken out of the archive again, and went on.
  log.prompt('And the puffin?')
  await rm(path)
  await writeFiles(dir, { [rolloutPath(id)]: log.text() })
  expect(await run()).toMatchObject([{ isNew: false, isUpdated: true }])

  // A fork without a copy of its history was made before that.
  const startMs = codexStartMs + 75
  const forkId = threadIdAt(startMs, 2)
  const meta = { forked_from_id: id, history_base: { end_ordinal_exclusive: 6 } }
  const fork = codexLog(forkId, { startMs, meta })
  fork.prompt('Find the gannet instead')
  await writeFiles(dir, { [rolloutPath(forkId)]: fork.text() })
  const [origin, made] = (await run()).map(({ taskId }) => taskId)
  const { tasks } = await shiplog.client.tasks.list({ all: true })
  const answer = (await entriesOf(shiplog, origin as TaskId)).findLast(
    (entry) => entry.type === 'message' && entry.role === 'assistant',
  )
  expect(tasks.find((task) => task.id === made)?.resumedFrom).toEqual({
    taskId: origin,
    seq: answer?.seq,
  })
})

it('[K4] keeps what looks like a secret in the transcript, and redacts it in lists and exports', async () => {
  // In two parts, so that no tool takes this file for a leak.
  const key = `${'ghp'}_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`
  const log = claudeLog(session)
  log.prompt(`Push with ${key}`)
  log.says('m1', 'Done.')
  const dir = await writeFiles(await temporaryDir(), { [`${session}.jsonl`]: log.text() })
  const shiplog = await opened()
  expect((await importFrom(shiplog, dir)).sessions[0]?.title).not.toContain(key)
  expect(JSON.stringify(await shiplog.client.tasks.list({ all: true }))).not.toContain(key)
  const ledger = await readFile(join(shiplog.dataDir, 'ledger.jsonl'), 'utf8')
  expect(ledger).not.toContain(key)
  expect(JSON.stringify(await entriesOf(shiplog, session))).toContain(key)
  let exported = ''
  for await (const event of await shiplog.client.exports.read({ taskId: session, format: 'md' }))
    if (event.type === 'text') exported += event.text
  expect(exported).toContain('Push with [hidden: key]')
})

it('[I6] can be stopped: what was imported stays, and going on ends with the same result', async () => {
  const { dir, main } = await folder()
  const keys = Array.from({ length: 6 }, (_, n) => session.replace(/1$/, String(n + 2)))
  for (const key of keys) await writeFile(join(dirname(main), `${key}.jsonl`), logs().log.text())
  const shiplog = await opened()
  const { client } = shiplog
  const stopped: string[] = []
  for await (const event of await client.imports.run({ tool: 'claude-code', path: dir })) {
    if (event.type !== 'session') continue
    stopped.push(event.session.taskId)
    break
  }
  expect(stopped).toHaveLength(1)
  const listed = async () => (await client.tasks.list({ all: true })).tasks.map(({ id }) => id)
  expect(await listed()).toContain(stopped[0])
  const { sessions, skipped } = await importFrom(shiplog, dir)
  expect(skipped).toEqual([])
  expect(sessions.find(({ taskId }) => taskId === stopped[0])).toMatchObject({ isNew: false })
  expect(await listed()).toHaveLength(keys.length + 1)
  const names = await readdir(join(shiplog.dataDir, 'archive'))
  expect(names.filter((name) => name.startsWith('.'))).toEqual([])
})

it('refuses a place without sessions, and gives advice', async () => {
  const shiplog = await opened()
  await expect(importFrom(shiplog, await temporaryDir())).rejects.toMatchObject({
    message: expect.stringContaining('Choose the file of a session, or a folder with sessions'),
  })
})

it('continues with the other sessions when its thread dies in the middle of one', async () => {
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
      subscribe: () => () => {},
    } as unknown as Parameters<typeof createSessionImports>[0]['ledger'],
    layout,
    clock: Date.now,
    oneAtATime: createKeyedMutex(),
    transcriptFile: async () => null,
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

it('says that a file may not be read, and not that it is no log', async () => {
  const dir = await writeFiles(await temporaryDir(), { 'a.json': '{"schema_version":"ATIF-v1.7"}' })
  const { client } = await opened()
  const path = join(dir, 'a.json')
  await chmod(path, 0)
  asUnprivilegedUser(dir)
  const run = async () => {
    for await (const _ of await client.imports.run({ tool: 'atif', path }));
  }
  const refusal = /can’t be read: its permissions do not allow it/
  await expect(run()).rejects.toThrow(refusal)
  await expect(client.imports.scan({ path })).rejects.toThrow(refusal)
})
