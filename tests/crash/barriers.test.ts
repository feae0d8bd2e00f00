/**
 * Barriers, read off recorded traces: what must be durable at the moment at which something else relies on it.
 * Crash states find a missing sync only where its loss shows; here each one is looked for by itself.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { openJournal } from '../../src/main/journal/index.ts'
import { gitProject, temporaryDir } from '../harness.ts'
import { acrossFolders } from '../journal/file-systems.ts'
import type { Fact } from './facts.ts'
import { crashState, forgottenAt, killedAt } from './fault-fs/crash-state.ts'
import { isOwnLog, record } from './fault-fs/record.ts'
import type { Step, Trace } from './fault-fs/trace.ts'
import { openLayers, sail } from './layers.ts'
import { scratch, scratchParent } from './places.ts'
import { voyage } from './services.ts'

interface Moment {
  at: number
  /** Paths that must be durable by then, content and name. */
  needs: string[]
  why: string
}

let layers: Trace
let copied: Trace

beforeAll(async () => {
  layers = await recordLayers()
  copied = await recordLayers(acrossFolders)
})

async function recordLayers(inject?: typeof acrossFolders): Promise<Trace> {
  const place = mkdtempSync(join(scratchParent, 'shiplog-barriers-'))
  const dataDir = join(place, 'data')
  const recording = record(dataDir, { inject })
  const opened = await openLayers(dataDir)
  await sail(opened, recording.ack)
  await opened.ledger.close()
  rmSync(place, { recursive: true, force: true })
  return recording.stop()
}

/** The paths that a power cut at this moment could still take, or change. */
function atRisk(trace: Trace, at: number): Set<string> {
  const handed = crashState(trace, killedAt(at)).tree
  const forced = crashState(trace, forgottenAt(at)).tree
  const risk = new Set<string>()
  for (const [path, node] of handed) {
    const kept = forced.get(path)
    const isSame =
      node.kind === 'file' && kept?.kind === 'file'
        ? node.data.equals(kept.data)
        : node.kind === kept?.kind
    if (!isSame) risk.add(path)
  }
  return risk
}

function broken(trace: Trace, moments: Moment[]): string[] {
  return moments.flatMap(({ at, needs, why }) => {
    const risk = atRisk(trace, at)
    return needs.filter((path) => risk.has(path)).map((path) => `${why}: ${path} is not durable`)
  })
}

const stepsOf = (trace: Trace): { at: number; step: Step }[] =>
  trace.steps.map((step, at) => ({ at, step })).filter(({ step }) => !step.failed)

const pathsAt = (trace: Trace, at: number): string[] => [
  ...crashState(trace, killedAt(at)).tree.keys(),
]

const factOf = ({ operation }: Step): Fact | null =>
  operation.kind === 'ack' ? (operation.fact as Fact) : null

/** Where each handle was opened. */
function pathOfHandles(trace: Trace): Map<number, string> {
  const paths = new Map<number, string>()
  for (const { operation } of trace.steps)
    if (operation.kind === 'open') paths.set(operation.handle, operation.path)
  return paths
}

/** The files that were synced under the name they were opened by, and the sync was over. */
function syncedBy(trace: Trace, at: number): Set<string> {
  const handles = pathOfHandles(trace)
  const synced = new Set<string>()
  for (const { step } of stepsOf(trace)) {
    const { operation, doneAt } = step
    if (operation.kind !== 'sync' || doneAt === null || doneAt > at) continue
    synced.add(handles.get(operation.handle) ?? '')
  }
  return synced
}

/** A file that is published by rename: its bytes were synced after its last write and before the rename. */
function publishedUnsynced(trace: Trace): string[] {
  const handles = pathOfHandles(trace)
  const wrong: string[] = []
  const lastWrite = new Map<string, number>()
  const lastSync = new Map<string, number>()
  for (const { at, step } of stepsOf(trace)) {
    const { operation } = step
    if (operation.kind === 'write') lastWrite.set(handles.get(operation.handle) ?? '', at)
    if (operation.kind === 'sync' && step.doneAt !== null)
      lastSync.set(handles.get(operation.handle) ?? '', step.doneAt)
    if (operation.kind !== 'rename' || !/\.tmp$|-staged$|\.prepared$/.test(operation.from)) continue
    const written = lastWrite.get(operation.from)
    const synced = lastSync.get(operation.from) ?? -1
    if (written !== undefined && (synced <= written || synced > at))
      wrong.push(`${operation.from} became ${operation.path} before its bytes were synced`)
  }
  return wrong
}

it('[J6][A1] publishes no file by rename whose bytes are not durable', () => {
  const renames = stepsOf(layers).filter(({ step }) => step.operation.kind === 'rename')
  expect(renames.length).toBeGreaterThan(20)
  expect(publishedUnsynced(layers)).toEqual([])
  expect(publishedUnsynced(copied)).toEqual([])
})

it('[J10][J6] writes no record before its long values are durable', () => {
  const handles = pathOfHandles(layers)
  const moments = stepsOf(layers).flatMap(({ at, step }): Moment[] => {
    const { operation } = step
    if (operation.kind !== 'write') return []
    const path = handles.get(operation.handle) ?? ''
    if (!path.endsWith('/chat.jsonl')) return []
    const dir = path.slice(0, -'chat.jsonl'.length)
    const text = operation.data.toString()
    const named = pathsAt(layers, at).filter(
      (one) => one.startsWith(`${dir}blobs/`) && text.includes(one.slice(`${dir}blobs/`.length)),
    )
    return named.length > 0 ? [{ at, needs: named, why: `record of ${path}` }] : []
  })
  expect(moments.length).toBeGreaterThan(0)
  expect(broken(layers, moments)).toEqual([])
})

it.each(['by rename', 'by copying'] as const)(
  '[R1][R2] tells nobody that a transcript was moved before it is durable in its new place, moved %s',
  (how) => {
    const trace = how === 'by rename' ? layers : copied
    const moments = stepsOf(trace).flatMap(({ at, step }): Moment[] => {
      const fact = factOf(step)
      if (fact?.what !== 'event' || fact.event.type !== 'workspace.removal-advanced') return []
      if (fact.event.step !== 'transcript-moved' && fact.event.step !== 'archived') return []
      const id = fact.event.workspaceId
      const needs = pathsAt(trace, at).filter(
        (path) => path.includes(`subagent-transcripts/${id}`) || path.startsWith(`archive/${id}`),
      )
      return [{ at, needs, why: `${fact.event.step} of ${id}` }]
    })
    expect(moments.filter(({ needs }) => needs.length > 0).length).toBeGreaterThan(5)
    expect(broken(trace, moments)).toEqual([])
  },
)

it('[R2] deletes the source of a copied transcript only once the copy is durable under its name', () => {
  const moments = stepsOf(copied).flatMap(({ at, step }): Moment[] => {
    const { operation } = step
    if (operation.kind !== 'unlink') return []
    const { path } = operation
    const moved = /(?:^|\/)([0-9a-f-]{36})\/(chat\.jsonl|blobs\/.*)$/.exec(path)
    if (!moved) return []
    const needs = pathsAt(copied, at).filter(
      (one) => one !== path && one.endsWith(`/${moved[1]}/${moved[2]}`),
    )
    return [{ at, needs: needs.length > 0 ? needs : [path], why: `${path} is deleted` }]
  })
  expect(moments.length).toBeGreaterThan(3)
  expect(broken(copied, moments)).toEqual([])
})

it('[J4][J6] saves a torn tail durably before truncating it, and syncs the truncation before the next append', async () => {
  const dataDir = scratch()
  const file = join(dataDir, 'chat.jsonl')
  const before = await openJournal(file)
  await before.append({ v: 1, type: 'note', text: 'whole' })
  await before.close()
  writeFileSync(file, '{"v":1,"seq":2,"ty', { flag: 'a' })
  const recording = record(dataDir)
  const journal = await openJournal(file)
  recording.ack('opened')
  await journal.append({ v: 1, type: 'note', text: 'next' })
  await journal.close()
  const trace = recording.stop()

  const cut = stepsOf(trace).find(({ step }) => step.operation.kind === 'truncate')
  const opened = stepsOf(trace).find(({ step }) => step.operation.kind === 'ack')
  const kept = pathsAt(trace, trace.steps.length).filter((path) => path.includes('.torn-'))
  expect(kept).toHaveLength(1)
  expect(cut).toBeDefined()
  expect(
    broken(trace, [
      { at: cut?.at ?? 0, needs: kept, why: 'the tail is cut' },
      { at: opened?.at ?? 0, needs: ['chat.jsonl', ...kept], why: 'the journal is open' },
    ]),
  ).toEqual([])
})

const worker = `
version: 1
name: worker
agents:
  lead:
    turns:
      - call: write_file
        with: { path: made.txt, content: "made by the agent\\n" }
      - report: { title: Made, markdown: Made. }
`

it('[R1][A1] makes a patch durable before the ledger records it as saved, and so before its worktree is removed', async () => {
  const dir = await temporaryDir()
  const projectDir = await gitProject(join(dir, 'project'))
  const dataDir = join(dir, 'data')
  const recording = record(dataDir, {
    ignore: (path) => /^(?:worktrees|turn-store)/.test(path) || isOwnLog(path),
  })
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  const { client } = shiplog
  const abort = new AbortController()
  const feed = await client.feed.ledger(undefined, { signal: abort.signal })
  const listening = (async () => {
    for await (const news of feed) {
      if (news.type !== 'records') continue
      for (const { seq, event } of news.records) recording.ack({ what: 'event', seq, event })
    }
  })()
  const project = await client.projects.add({ dir: projectDir })
  const { taskId } = await client.tasks.start({
    projectId: project.id,
    agent: { kind: 'scripted', scenario: worker, source: 'worker.yaml' },
    prompt: 'Go',
  })
  await client.tasks.resumeEnded({ taskIds: [taskId] })
  await client.workspace.remove({ workspaceId: taskId })
  abort.abort()
  await listening.catch(() => undefined)
  await shiplog.close()
  const trace = recording.stop()

  const moments = stepsOf(trace).flatMap(({ at, step }): Moment[] => {
    const fact = factOf(step)
    if (fact?.what !== 'event' || fact.event.type !== 'workspace.removal-advanced') return []
    if (fact.event.step !== 'patch-saved') return []
    const needs = pathsAt(trace, at).filter((path) => path.includes(`subagent-patches/${taskId}`))
    return [{ at, needs, why: 'the patch is saved' }]
  })
  expect(moments).toHaveLength(1)
  const [saved] = moments
  const patches = saved?.needs.filter((path) => path.endsWith('.patch')) ?? []
  expect(patches).not.toEqual([])
  expect(broken(trace, moments)).toEqual([])
  // Git writes their bytes, which is not recorded: that they were synced is.
  const synced = syncedBy(trace, saved?.at ?? 0)
  expect(patches.filter((path) => !synced.has(path))).toEqual([])
})

it('[J6][T2] publishes no entry and no event before it is durable, while agents and their tools run', async () => {
  const place = scratch()
  const projectDir = join(place, 'project')
  mkdirSync(projectDir)
  const dataDir = join(place, 'data')
  const recording = record(dataDir)
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  await voyage(shiplog, projectDir, recording.ack, { stay: true })
  await shiplog.close()
  const trace = recording.stop()
  const unsaid: string[] = []
  for (const { at, step } of stepsOf(trace)) {
    const fact = factOf(step)
    if (fact?.what !== 'entry' && fact?.what !== 'event') continue
    const { tree } = crashState(trace, forgottenAt(at))
    const path = fact.what === 'event' ? 'ledger.jsonl' : `sessions/${fact.taskId}/chat.jsonl`
    const archived = [...tree].filter(([one]) => one.endsWith(`${path.split('/')[1]}/chat.jsonl`))
    const texts = [tree.get(path), ...archived.map(([, node]) => node)].map((node) =>
      node?.kind === 'file' ? node.data.toString() : '',
    )
    const mark = fact.what === 'event' ? `"seq":${fact.seq},` : fact.entry.uuid
    if (!texts.some((text) => text.includes(mark))) unsaid.push(`${at}: ${mark}`)
  }
  expect(unsaid).toEqual([])
})
