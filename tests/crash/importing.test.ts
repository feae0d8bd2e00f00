/** An import killed at every step, on a full disk and stopped: imported again, it ends with the same result. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FoundSession } from '../../src/main/imports/adapters/adapter.ts'
import { adapters } from '../../src/main/imports/adapters/adapters.ts'
import { idsOf } from '../../src/main/imports/session-ids.ts'
import { createSessionImports } from '../../src/main/imports/session-imports.ts'
import type { EarlierTranscripts } from '../../src/main/imports/stage/earlier-sessions.ts'
import type { ImportThread } from '../../src/main/imports/stage/import-thread.ts'
import { stageSession } from '../../src/main/imports/stage/stage-session.ts'
import { clearStaging } from '../../src/main/imports/staging.ts'
import { readJournal } from '../../src/main/journal/index.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { createKeyedMutex } from '../../src/shared/async/keyed-mutex.ts'
import type { ImportTool } from '../../src/shared/records/exported-tasks.ts'
import { claudeLog, writeFiles } from '../imports/claude-code-log.ts'
import { isSoak, seed, tryEach } from './effort.ts'
import { callsOf, crashStates, stateAfterEach, stepsOfEachClass } from './explore.ts'
import { record } from './fault-fs/record.ts'
import { differences, readTree, writeTree } from './fault-fs/tree.ts'
import { scratch } from './places.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001'
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function writeLogs(dir: string): Promise<() => void> {
  const log = claudeLog(session)
  log.prompt('Find the albatross')
  log.calls('m1', 'c1', 'Task', { subagent_type: 'Explore', description: 'Look', prompt: 'Look' })
  log.returns('c1', 'Over the sea.', { toolUseResult: { agentId: 'a1' } })
  log.calls('m2', 'c2', 'Read', { file_path: '/code/app/sea.png' })
  log.returns('c2', [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
  ])
  log.says('m3', 'Found.')
  const agent = claudeLog('2b2c3d4e-0000-4000-8000-00000000000a', { isSidechain: true })
  agent.prompt('Look')
  agent.says('s1', 'Over the sea.')
  const other = claudeLog('3b2c3d4e-0000-4000-8000-000000000002')
  other.prompt('Count')
  other.says('o1', 'Nine.')
  await writeFiles(dir, {
    [`${session}.jsonl`]: log.text(),
    [`${session}/subagents/agent-a1.jsonl`]: agent.text(),
    '3b2c3d4e-0000-4000-8000-000000000002.jsonl': other.text(),
  })
  return () => {
    log.prompt('And the puffin?')
    log.says('m4', 'On the rock.')
    appendFileSync(join(dir, `${session}.jsonl`), `${log.lines.slice(-2).join('\n')}\n`)
  }
}

interface Staged {
  session: FoundSession
  dir: string
  version: number
  earlier: EarlierTranscripts[]
  importedAt: string
}

/** What a recording sees: the same code as in the thread, in this process. */
function threadHere(): ImportThread {
  const ending = new AbortController()
  const calls = {
    discover: async (
      { tool, path }: { tool: ImportTool; path: string },
      { signal = ending.signal } = {},
    ) => [await Array.fromAsync(adapters[tool].discover(path, signal))],
    stage: async (request: Staged, { signal = ending.signal } = {}) =>
      (async function* () {
        const { session: found, dir, version, earlier, importedAt } = request
        const idOf = idsOf(found.tool, found.key, version)
        const given = { dir, idOf, version, signal, earlier, importedAt, onBytes: () => {} }
        yield {
          kind: 'staged' as const,
          staged: await stageSession(adapters[found.tool], found, given),
        }
      })(),
  } as unknown as ImportThread['calls']
  return { calls, ended: ending.signal, end: async () => ending.abort() }
}

/** As a start does it, and then the import. Returns why sessions were left out. */
async function importAll(dataDir: string, logs: string, signal?: AbortSignal): Promise<string[]> {
  const layout = layoutOf(dataDir)
  const ledger = await openLedger(layout.ledger, dataDir)
  const skipped: string[] = []
  try {
    await clearStaging(layout)
    const imports = createSessionImports({
      ledger,
      layout,
      clock: Date.now,
      oneAtATime: createKeyedMutex(),
      startThread: threadHere,
      transcriptFile: async () => null,
    })
    for await (const event of imports.run({ tool: 'claude-code', path: logs }, signal))
      if (event.type === 'skipped') skipped.push(event.skipped.reason)
  } finally {
    await ledger.close()
  }
  return skipped
}

/** What the ledger and the archive say, without what differs from import to import: times of it, salts and sums. */
async function resultOf(dataDir: string): Promise<unknown> {
  const layout = layoutOf(dataDir)
  const ledger = await openLedger(layout.ledger, dataDir)
  const tasks = [...ledger.state.tasks.values()]
    .map(({ importedFrom, workspace, ...task }) => ({
      ...task,
      from: importedFrom && { ...importedFrom, at: '' },
      workspace: workspace && { ...workspace, createdAt: '' },
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await ledger.close()
  const files: Record<string, unknown> = {}
  for (const [path, node] of readTree(layout.archive)) {
    if (path.endsWith('chat.jsonl')) {
      const entries: unknown[] = []
      for await (const { salt: _, prev: __, sum: ___, ...entry } of readJournal(
        join(layout.archive, path),
      ))
        entries.push(entry)
      files[path] = entries
    } else if (path.endsWith('import.json') && node.kind === 'file')
      files[path] = { ...JSON.parse(node.data.toString()), importedAt: '' }
    else files[path] = node.kind === 'file' ? node.data.toString('base64') : node.kind
  }
  return { tasks, files }
}

const timeout = isSoak ? 1_200_000 : 180_000

it('[I1][I3][I6] reaches the same result after a crash at any step of an import or an update', {
  timeout,
}, async () => {
  const place = scratch()
  const logs = join(place, 'logs')
  const grow = await writeLogs(logs)
  const dataDir = join(place, 'data')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const recording = record(dataDir)
  expect(await importAll(dataDir, logs)).toEqual([])
  recording.ack('imported')
  grow()
  const source = readTree(logs)
  expect(await importAll(dataDir, logs)).toEqual([])
  const trace = recording.stop()
  const wanted = await resultOf(dataDir)
  const again = join(place, 'again')
  const states = isSoak
    ? crashStates(trace, seed)
    : stateAfterEach(trace, stepsOfEachClass(trace, callsOf(trace)), seed)
  const { tried, failures } = await tryEach('crash points (imports)', states, async ({ state }) => {
    writeTree(again, state.tree)
    try {
      const skipped = await importAll(again, logs)
      const result = await resultOf(again)
      const isSame = same(result, wanted)
      const changed = differences(source, readTree(logs)).map((path) => `${path} was changed`)
      return [...skipped, ...changed, ...(isSame ? [] : [differenceOf(wanted, result)])]
    } catch (error) {
      return [`does not import: ${error instanceof Error ? error.stack : error}`]
    } finally {
      rmSync(again, { recursive: true, force: true })
    }
  })
  expect(failures).toEqual({})
  if (!isSoak) expect(tried).toBeGreaterThan(20)
})

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** The first place where two values differ. */
function differenceOf(wanted: unknown, found: unknown, path = 'the result'): string {
  if (typeof wanted !== 'object' || typeof found !== 'object' || !wanted || !found)
    return `${path}: ${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`.slice(0, 300)
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)])
  for (const key of keys) {
    const [one, other] = [wanted, found].map((value) => (value as Record<string, unknown>)[key])
    if (JSON.stringify(one) !== JSON.stringify(other))
      return differenceOf(one, other, `${path}.${key}`)
  }
  return `${path}: in another order`
}

it('[I1][I6][J7] reports a full disk, keeps complete data, and continues when there is room; likewise after a stop', {
  timeout,
}, async () => {
  const place = scratch()
  const logs = join(place, 'logs')
  await writeLogs(logs)
  const source = readTree(logs)
  mkdirSync(join(place, 'count'), { mode: 0o700 })
  const counting = record(join(place, 'count'))
  expect(await importAll(join(place, 'count'), logs)).toEqual([])
  const { attempts } = counting
  counting.stop()
  const wanted = await resultOf(join(place, 'count'))
  const step = isSoak ? 1 : Math.ceil(attempts / 4)
  for (let from = step; from < attempts; from += step)
    for (const way of ['full', 'stopped'] as const) {
      const dataDir = join(place, 'data')
      mkdirSync(dataDir, { mode: 0o700 })
      const stop = new AbortController()
      let count = 0
      const recording = record(dataDir, {
        inject: () => {
          if (count++ !== from && way === 'stopped') return null
          if (way === 'full') return count > from ? { code: 'ENOSPC' } : null
          stop.abort(new Error('stopped'))
          return null
        },
      })
      const ended = await importAll(dataDir, logs, stop.signal).then(
        (skipped) => skipped,
        (error: unknown) => [String(error)],
      )
      recording.stop()
      const name = `${way} at ${from}`
      // A failure that nobody is told of takes nothing away.
      if (ended.length === 0) expect(same(wanted, await resultOf(dataDir)), name).toBe(true)
      else if (way === 'full') expect(ended.join(), name).toMatch(/ENOSPC|no space/i)
      expect(await importAll(dataDir, logs), name).toEqual([])
      expect(same(wanted, await resultOf(dataDir)), name).toBe(true)
      expect(
        readdirSync(join(dataDir, 'archive')).filter((one) => one.startsWith('.')),
        name,
      ).toEqual([])
      rmSync(dataDir, { recursive: true, force: true })
    }
  expect(differences(source, readTree(logs))).toEqual([])
  expect(readFileSync(join(logs, `${session}.jsonl`)).length).toBeGreaterThan(0)
})
