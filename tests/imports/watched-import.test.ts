import { appendFile, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import type { FoundSession } from '../../src/main/imports/adapters/adapter.ts'
import { createFolderChanges } from '../../src/main/imports/watch/folder-changes.ts'
import { type WatchEvent, watchSessions } from '../../src/main/imports/watch/watch-sessions.ts'
import type { ImportWatchState } from '../../src/shared/contract/imports.ts'
import { ended } from '../acp-agent/script.ts'
import { acpFixture } from '../agents/acp/acp-fixture.ts'
import { entriesOf, temporaryDir, untilQuiet } from '../harness.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001'
const times = { betweenMs: 0, rescanMs: 3_600_000, quietMs: 0, growingMs: 0 }

function logOf(title: string): string {
  const log = claudeLog(session)
  log.prompt(title)
  log.says('m1', 'Found.')
  return log.text()
}

function found(bytes: number, mtimeMs: number, place = '/nowhere'): FoundSession {
  const path = join(place, 'app', `${session}.jsonl`)
  return {
    tool: 'claude-code',
    key: session,
    projectDir: null,
    expiresAtMs: null,
    isHidden: false,
    files: [{ path, name: `${session}.jsonl`, bytes, mtimeMs, role: 'session' }],
  }
}

/** The state of `watchState` that is the first to fit. */
async function stateWhere(
  states: AsyncIterable<ImportWatchState>,
  fits: (state: ImportWatchState) => boolean,
): Promise<ImportWatchState> {
  for await (const state of states) if (fits(state)) return state
  throw new Error('it ended')
}

it('imports each state of a session once, and a growing one only once it is quiet', async () => {
  let nowMs = 1_000_000
  let sessions = [found(10, nowMs)]
  const imports: number[] = []
  const abort = new AbortController()
  const watching = watchSessions(
    {
      place: '/nowhere',
      clock: () => nowMs,
      discover: async () => sessions,
      times: { ...times, rescanMs: 0, quietMs: 20_000, growingMs: 300_000 },
      isWanted: async ({ files }) => files[0]?.bytes !== 99,
      isImportedUnchanged: async () => false,
      async *importAll(due): AsyncGenerator<WatchEvent & { type: 'skipped' }> {
        imports.push(...due.map(({ files }) => files[0]?.bytes ?? 0))
        const reason = 'It is damaged.'
        yield { type: 'skipped', skipped: { source: 'claude-code', session, reason } }
      },
    },
    abort.signal,
  )
  const next = async () => {
    for (;;) {
      const { value } = await watching.next()
      if (value?.type === 'scanned') return imports.splice(0)
    }
  }
  // At once, though it is being written; it fails, and is not tried again.
  expect(await next()).toEqual([10])
  expect(await next()).toEqual([])
  sessions = [found(20, nowMs)]
  expect(await next()).toEqual([])
  nowMs += 20_000
  expect(await next()).toEqual([20])
  // It is never quiet.
  sessions = [found(30, nowMs)]
  nowMs += 299_999
  sessions = [found(40, nowMs)]
  expect(await next()).toEqual([])
  nowMs += 1
  sessions = [found(50, nowMs)]
  expect(await next()).toEqual([50])
  // A user deleted it here.
  nowMs += 300_000
  sessions = [found(99, nowMs)]
  expect(await next()).toEqual([])
  abort.abort()
  expect((await watching.next()).done).toBe(true)
})

it('scans again after it began to watch a folder, because what changed there before was not reported', async () => {
  const place = await temporaryDir()
  const abort = new AbortController()
  let scans = 0
  const watching = watchSessions(
    {
      place,
      clock: Date.now,
      times,
      async discover() {
        if (++scans === 2) abort.abort()
        return []
      },
      isWanted: async () => true,
      isImportedUnchanged: async () => false,
      async *importAll() {},
    },
    AbortSignal.any([abort.signal, AbortSignal.timeout(10_000)]),
  )
  for await (const _ of watching);
  expect(scans).toBe(2)
})

it('reports what changes in a folder that is watched, and a folder that is new', async () => {
  const dir = await writeFiles(await temporaryDir(), { 'a/one.jsonl': '1\n' })
  const changes = createFolderChanges()
  onTestFinished(() => changes.close())
  const folders = new Set([dir, join(dir, 'a'), join(dir, 'gone')])
  expect(changes.watch(folders)).toBe(true)
  expect(changes.watch(folders)).toBe(false)
  expect(changes.problem()).toBeNull()
  const { signal } = new AbortController()
  const grown = changes.wait(3_600_000, signal)
  await appendFile(join(dir, 'a/one.jsonl'), '2\n')
  await grown
  const added = changes.wait(3_600_000, signal)
  await writeFiles(dir, { 'b/two.jsonl': '1\n' })
  await added
  await changes.wait(3_600_000, AbortSignal.abort())
})

it('keeps sessions while the app runs once it is on, also after a restart, and none that were deleted here', async () => {
  const home = await temporaryDir()
  const dataDir = await temporaryDir()
  const main = `projects/-work-app/${session}.jsonl`
  // A session of before, which did not grow since.
  const old = claudeLog(session.replace(/1$/, '3'))
  old.prompt('Find the gannet')
  const before = main.replace(/1\.jsonl$/, '3.jsonl')
  await writeFiles(home, { [before]: old.text() })
  await utimes(join(home, before), 1_000, 1_000)
  // A session of an agent that Shiplog ran itself: it has the record of it.
  const own = claudeLog(session.replace(/1$/, '2'), { cwd: join(dataDir, 'worktrees/app/fix') })
  own.prompt('Find the auk')
  await writeFiles(home, { [main.replace(/1\.jsonl$/, '2.jsonl')]: own.text() })
  vi.stubEnv('CLAUDE_CONFIG_DIR', home)
  vi.stubEnv('CODEX_HOME', join(home, 'none'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const open = () => openShiplog({ host: 'web', dataDir, sweepAtStart: false })
  const first = await open()
  expect((await stateWhere(await first.client.imports.watchState(), () => true)).enabled).toBe(
    false,
  )
  await first.client.imports.setWatch({ enabled: true })
  await stateWhere(await first.client.imports.watchState(), ({ checkedAt }) => checkedAt !== null)
  await first.close()
  await writeFiles(home, { [main]: logOf('Find the albatross') })

  const later = await open()
  const looked = await stateWhere(
    await later.client.imports.watchState(),
    ({ kept, checkedAt }) => kept === 1 && checkedAt !== null,
  )
  expect(looked).toMatchObject({ enabled: true, failed: [], problem: null })
  await later.close()

  // It grew while nothing ran.
  await appendFile(join(home, main), logOf('And the puffin?').replaceAll('"0000000', '"1000000'))
  const second = await open()
  await stateWhere(await second.client.imports.watchState(), ({ kept }) => kept === 1)
  const { tasks } = await second.client.tasks.list({ all: true })
  expect(tasks).toMatchObject([{ id: session, importedFrom: { tool: 'claude-code' } }])
  await second.client.workspace.trash({ workspaceId: session })
  await second.close()

  await appendFile(join(home, main), '{}\n')
  const third = await open()
  const again = await stateWhere(
    await third.client.imports.watchState(),
    ({ checkedAt }) => checkedAt !== null,
  )
  expect(again).toMatchObject({ kept: 0, failed: [] })
  expect((await third.client.tasks.list({ all: true })).tasks).toEqual([])
  await third.client.imports.setWatch({ enabled: false })
  expect(JSON.parse(await readFile(join(dataDir, 'imports.json'), 'utf8'))).toEqual({
    version: 1,
    watch: false,
  })
  await third.close()

  await writeFile(join(dataDir, 'imports.json'), '{')
  const fourth = await open()
  onTestFinished(() => fourth.close())
  const [notice] = (await fourth.client.app.info()).notices
  expect(notice?.text).toContain('New sessions of other tools are no longer imported.')
})

it('leaves out sessions of agents that Shiplog ran in the folder of a project', async () => {
  const { shiplog, project, begin } = await acpFixture({ prompts: [[ended()]] })
  const { client } = shiplog
  const taskId = await begin('allow-all', { isolation: 'in-place' })
  await untilQuiet(shiplog)
  const recorded = (await entriesOf(shiplog, taskId)).find(({ type }) => type === 'agent-session')
  if (recorded?.type !== 'agent-session') throw new Error('it has no session')
  const home = await temporaryDir()
  const write = (key: string) => {
    const log = claudeLog(key, { cwd: project.dir })
    log.prompt('Find the auk')
    log.says('m1', 'Found.')
    return writeFiles(home, { [`projects/-app/${key}.jsonl`]: log.text() })
  }
  await write(recorded.ref.id)
  // A user's own, in the same folder.
  await write(session)
  const kept: string[] = []
  for await (const event of await client.imports.watch({ tool: 'claude-code', path: home })) {
    if (event.type === 'session') kept.push(event.session.session)
    if (event.type === 'scanned') break
  }
  expect(kept).toEqual([session])
  const [found] = (await client.imports.scan({ tool: 'claude-code', path: home })).sources
  expect(found).toMatchObject({ sessions: 1, imported: 1 })
  const all = async (request: { path: string; sessions?: string[] }) => {
    const names: string[] = []
    for await (const event of await client.imports.run({ tool: 'claude-code', ...request }))
      if (event.type === 'session') names.push(event.session.session)
    return names
  }
  expect(await all({ path: home })).toEqual([session])
  // One that is named is imported.
  expect(await all({ path: home, sessions: [recorded.ref.id] })).toEqual([recorded.ref.id])
  const file = join(home, `projects/-app/${recorded.ref.id}.jsonl`)
  const named = await client.imports.scan({ tool: 'claude-code', path: file })
  expect(named.sources).toMatchObject([{ sessions: 1 }])
  expect(await all({ path: file })).toEqual([recorded.ref.id])
})
