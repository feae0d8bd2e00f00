/** The two files on a real disk: where they lie, and what is done about what is found there. */

import { existsSync, readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Ledger, openLedger } from '../../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { createAgentHistory } from '../../../src/main/tasks/agent-history/agent-history.ts'
import type { HistoryEntry } from '../../../src/main/tasks/agent-history/format.ts'
import {
  newProjectId,
  newTaskId,
  type ProjectId,
  type TaskId,
} from '../../../src/shared/records/ids.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { scriptedSpec } from '../../fixtures/scripted-spec.ts'
import { temporaryDir } from '../../harness.ts'

const process = { pid: 1, startedAt: 'then' }

interface Place {
  projectDir: string
  dataDir: string
  projectId: ProjectId
  ledger: Ledger
  told: string[]
  history: ReturnType<typeof createAgentHistory>
  /** A root that runs. */
  spawn(): Promise<TaskId>
  complete(taskId: TaskId): Promise<void>
  interrupt(taskId: TaskId): Promise<void>
  /** Paths below the project's folder and below what the data directory keeps for it. */
  inPlanning(name: string): string
  inDataDir(name: string): string
}

async function openPlace({ planning = true } = {}): Promise<Place> {
  const dir = await temporaryDir()
  const [projectDir, dataDir] = [join(dir, 'project'), join(dir, 'data')]
  await mkdir(planning ? join(projectDir, '.planning') : projectDir, { recursive: true })
  await mkdir(dataDir)
  const layout = layoutOf(dataDir)
  const ledger = await openLedger(layout.ledger, dataDir)
  const projectId = newProjectId()
  await ledger.record({
    type: 'project.added',
    projectId,
    name: 'project',
    dir: projectDir,
    git: false,
  })
  const told: string[] = []
  const history = createAgentHistory({
    ledger,
    layout,
    clock: Date.now,
    changedPaths: async () => null,
    reportedResults: async () => null,
    onNotice: (text) => told.push(text),
    onProblem: (text, error) => told.push(`${text}: ${error}`),
    writeIntervalMs: 0,
  })
  onTestFinished(async () => {
    await history.close()
    await ledger.close()
  })
  return {
    projectDir,
    dataDir,
    projectId,
    ledger,
    told,
    history,
    async spawn() {
      const taskId = newTaskId()
      await ledger.record({
        type: 'task.created',
        taskId,
        parentId: null,
        rootId: taskId,
        projectId,
        title: 'A task',
        agent: 'lead',
        spec: scriptedSpec(),
        prompt: '',
        model: null,
        isolation: 'in-place',
        callId: null,
        resumedFrom: null,
        dependsOn: [],
        options: { agentsAtOnce: 3, keep: false },
        plan: {},
      })
      await ledger.record({ type: 'task.spawned', taskId, run: 1, process, spawnCommit: null })
      return taskId
    },
    complete: (taskId) => ledger.record({ type: 'task.completed', taskId, run: 1, usage: noUsage }),
    interrupt: (taskId) =>
      ledger.record({
        type: 'task.interrupted',
        taskId,
        run: 1,
        cause: { kind: 'error', detail: 'killed' },
        usage: noUsage,
      }),
    inPlanning: (name) => join(projectDir, '.planning', name),
    inDataDir: (name) => join(layout.projectDir(projectId), name),
  }
}

async function entriesIn(path: string): Promise<HistoryEntry[]> {
  return JSON.parse(await readFile(path, 'utf8')).entries
}

async function statusesIn(path: string): Promise<string[]> {
  return (await entriesIn(path)).map(({ status }) => status)
}

const file = 'agent-history.json'
const pointer = 'current-agent-id.txt'

describe('where the history lies', () => {
  it('is in .planning if that folder exists, complete and readable by its owner only', async () => {
    const place = await openPlace()
    place.history.start()
    const taskId = await place.spawn()
    await place.history.flush()
    expect(readdirSync(join(place.projectDir, '.planning'))).toEqual([file, pointer])
    expect(JSON.parse(await readFile(place.inPlanning(file), 'utf8'))).toMatchObject({
      version: '1.2',
      max_entries: 50,
      entries: [{ agent_id: taskId, status: 'spawned' }],
    })
    expect(await readFile(place.inPlanning(pointer), 'utf8')).toBe(`${taskId}\n`)
    expect(statSync(place.inPlanning(file)).mode & 0o777).toBe(0o600)
    expect(existsSync(join(place.dataDir, 'projects'))).toBe(false)

    await place.complete(taskId)
    await place.history.flush()
    expect(await statusesIn(place.inPlanning(file))).toEqual(['completed'])
    expect(existsSync(place.inPlanning(pointer))).toBe(false)
  })

  it('is in the data directory otherwise, and moves over once the folder is made', async () => {
    const place = await openPlace({ planning: false })
    place.history.start()
    const taskId = await place.spawn()
    await place.history.flush()
    expect(await statusesIn(place.inDataDir(file))).toEqual(['spawned'])
    expect(await readFile(place.inDataDir(pointer), 'utf8')).toBe(`${taskId}\n`)
    expect(existsSync(join(place.projectDir, '.planning'))).toBe(false)

    const theirs = { agent_id: 'agent_01', status: 'completed' }
    const written = JSON.parse(await readFile(place.inDataDir(file), 'utf8'))
    await writeFile(
      place.inDataDir(file),
      JSON.stringify({ ...written, entries: [...written.entries, theirs] }),
    )
    await mkdir(join(place.projectDir, '.planning'))
    await place.complete(taskId)
    await place.history.flush()
    expect(await entriesIn(place.inPlanning(file))).toEqual([
      expect.objectContaining({ agent_id: taskId, status: 'completed' }),
      theirs,
    ])
    expect(readdirSync(place.inDataDir('.'))).toEqual([])
  })

  it('is written to the data directory if the project is missing or read-only, which is reported once', async () => {
    const place = await openPlace()
    // Stands for a folder that may not be written: root may write everywhere.
    await mkdir(place.inPlanning(file))
    place.history.start()
    const taskId = await place.spawn()
    await place.history.flush()
    await place.complete(taskId)
    await place.history.flush()
    expect(await statusesIn(place.inDataDir(file))).toEqual(['completed'])
    expect(place.told).toEqual([expect.stringContaining(`projects/${place.projectId}/${file}`)])
    expect(statSync(place.inPlanning(file)).isDirectory()).toBe(true)

    await rename(place.projectDir, `${place.projectDir}-moved`)
    await place.spawn()
    await place.history.flush()
    expect(await statusesIn(place.inDataDir(file))).toEqual(['completed', 'spawned'])
    expect(place.told).toHaveLength(1)
  })

  it('[A3] never writes through a symbolic link, at the folder or at either file', async () => {
    for (const linked of ['.planning', `.planning/${file}`, `.planning/${pointer}`]) {
      const place = await openPlace({ planning: linked !== '.planning' })
      const elsewhere = join(place.projectDir, '..', 'elsewhere')
      if (linked === '.planning') await mkdir(elsewhere)
      else await writeFile(elsewhere, '')
      symlinkSync(elsewhere, join(place.projectDir, linked))
      place.history.start()
      await place.spawn()
      await place.history.flush()
      expect(await statusesIn(place.inDataDir(file)), linked).toEqual(['spawned'])
      if (linked === '.planning') expect(readdirSync(elsewhere)).toEqual([])
      else expect(await readFile(elsewhere, 'utf8')).toBe('')
      expect(place.told, linked).toEqual([expect.stringContaining('symbolic link')])
    }
  })

  it('prevents no run if it can’t be written in either place, which is reported and retried', async () => {
    const place = await openPlace({ planning: false })
    await writeFile(join(place.dataDir, 'projects'), 'in the way')
    place.history.start()
    const taskId = await place.spawn()
    await place.history.flush()
    expect(place.told).toEqual([expect.stringContaining('could not be written')])
    await rm(join(place.dataDir, 'projects'))
    await place.complete(taskId)
    await place.history.flush()
    expect(await statusesIn(place.inDataDir(file))).toEqual(['completed'])
  })

  it('is not written for a project without agents, nor for a removed one', async () => {
    const place = await openPlace()
    place.history.start()
    await place.history.flush()
    expect(readdirSync(join(place.projectDir, '.planning'))).toEqual([])
    const taskId = await place.spawn()
    await place.complete(taskId)
    await place.ledger.record({ type: 'project.removed', projectId: place.projectId })
    await place.history.flush()
    await rm(place.inPlanning(file), { force: true })
    await place.ledger.record({ type: 'task.pinned', taskId })
    await place.history.flush()
    expect(existsSync(place.inPlanning(file))).toBe(false)
  })
})

describe('a file that exists already', () => {
  it('is set aside if it is not a history, which is rebuilt from the ledger and reported', async () => {
    const place = await openPlace()
    const taskId = await place.spawn()
    await place.complete(taskId)
    const broken = ['{"version": "1.2", "entr', '["another shape"]']
    for (const [index, content] of broken.entries()) {
      await writeFile(place.inPlanning(file), content)
      if (index === 0) place.history.start()
      else await place.ledger.record({ type: 'task.pinned', taskId })
      await place.history.flush()
      expect(await statusesIn(place.inPlanning(file))).toEqual(['completed'])
      const aside = `${file}.damaged-${index + 1}`
      expect(await readFile(place.inPlanning(aside), 'utf8')).toBe(content)
      expect(place.told.at(-1)).toContain(aside)
    }
  })

  it('is not changed if it has a newer version, which is reported once', async () => {
    const place = await openPlace()
    const newer = '{"version":"1.3","entries":{"by":"id"}}'
    await writeFile(place.inPlanning(file), newer)
    place.history.start()
    const taskId = await place.spawn()
    await place.history.flush()
    await place.complete(taskId)
    await place.history.flush()
    expect(await readFile(place.inPlanning(file), 'utf8')).toBe(newer)
    expect(readdirSync(join(place.projectDir, '.planning'))).toEqual([file])
    expect(place.told).toEqual([expect.stringContaining('version 1.3')])
  })

  it('is continued if it has version 1.0, with the entries of the tool that wrote it', async () => {
    const place = await openPlace()
    const theirs = { agent_id: 'agent_01', task_description: 'Theirs', status: 'spawned' }
    await writeFile(
      place.inPlanning(file),
      JSON.stringify({ version: '1.0', max_entries: 50, entries: [theirs] }),
    )
    place.history.start()
    await place.spawn()
    await place.history.flush()
    const upgraded = JSON.parse(await readFile(place.inPlanning(file), 'utf8'))
    expect(upgraded.version).toBe('1.2')
    expect(upgraded.entries[0]).toMatchObject({ ...theirs, execution_mode: 'sequential' })
    expect(upgraded.entries).toHaveLength(2)
  })

  it('is not written if it is complete, in any layout', async () => {
    const place = await openPlace()
    const taskId = await place.spawn()
    await place.complete(taskId)
    place.history.start()
    await place.history.flush()
    const compact = JSON.stringify(JSON.parse(await readFile(place.inPlanning(file), 'utf8')))
    await writeFile(place.inPlanning(file), compact)
    await place.ledger.record({ type: 'task.pinned', taskId })
    await place.history.flush()
    expect(await readFile(place.inPlanning(file), 'utf8')).toBe(compact)
  })

  it('leaves no temporary files of a killed writer, and keeps all others', async () => {
    const place = await openPlace()
    const left = `${file}.${newTaskId()}.tmp`
    const others = [`${file}.tmp`, 'notes.tmp', `${pointer}.${newTaskId()}.tmp`]
    for (const name of [left, ...others]) await writeFile(place.inPlanning(name), 'half')
    for (const name of [left, others[0] ?? '', 'notes.tmp'])
      utimesSync(place.inPlanning(name), 1000, 1000)
    // Being written this moment, by the Shiplog of another data directory.
    utimesSync(place.inPlanning(others[2] ?? ''), new Date(), new Date(Date.now() + 60_000))
    place.history.start()
    const taskId = await place.spawn()
    await place.complete(taskId)
    await place.history.flush()
    expect(readdirSync(join(place.projectDir, '.planning')).sort()).toEqual(
      [file, ...others].sort(),
    )
  })
})

describe('the pointer at a start', () => {
  it('[T3] is removed only once the history names its agent as interrupted', async () => {
    const place = await openPlace()
    const taskId = await place.spawn()
    await writeFile(place.inPlanning(pointer), `${taskId}\n`)
    // What recovery records before the history is started.
    await place.interrupt(taskId)
    // A history that can't be written: the pointer has to stay.
    await mkdir(place.inPlanning(file))
    place.history.start()
    await place.history.flush()
    expect(await readFile(place.inPlanning(pointer), 'utf8')).toBe(`${taskId}\n`)
    await rm(place.inPlanning(file), { recursive: true })
    await place.ledger.record({ type: 'task.pinned', taskId })
    await place.history.flush()
    expect(await statusesIn(place.inPlanning(file))).toEqual(['interrupted'])
    expect(existsSync(place.inPlanning(pointer))).toBe(false)
  })

  it('may be empty, invalid, or name an unknown agent', async () => {
    for (const [content, isTold] of [
      ['', false],
      ['\n', false],
      ['\u0000\u0001 rubbish', true],
      [newTaskId(), true],
      ['x'.repeat(10_000), true],
    ] as const) {
      const place = await openPlace()
      await writeFile(place.inPlanning(pointer), content)
      const taskId = await place.spawn()
      await place.complete(taskId)
      place.history.start()
      await place.history.flush()
      expect(await statusesIn(place.inPlanning(file))).toEqual(['completed'])
      expect(await readFile(place.inPlanning(pointer), 'utf8')).toBe(content)
      expect(place.told).toHaveLength(isTold ? 1 : 0)
      // The agent that runs now is named nevertheless.
      const next = await place.spawn()
      await place.history.flush()
      expect(await readFile(place.inPlanning(pointer), 'utf8')).toBe(`${next}\n`)
    }
  })
})

describe('making .planning/', () => {
  it('creates the folder on request, and moves the history into it', async () => {
    const place = await openPlace({ planning: false })
    place.history.start()
    await place.spawn()
    await place.history.flush()
    expect(existsSync(place.inDataDir('agent-history.json'))).toBe(true)
    const dir = join(place.projectDir, '.planning')
    expect(await place.history.planning(place.projectId)).toEqual({ dir, state: 'missing' })
    await place.history.makePlanningFolder(place.projectId)
    await place.history.makePlanningFolder(place.projectId)
    expect(await place.history.planning(place.projectId)).toEqual({ dir, state: 'used' })
    await place.history.flush()
    expect(existsSync(place.inPlanning('agent-history.json'))).toBe(true)
    expect(existsSync(place.inDataDir('agent-history.json'))).toBe(false)
  })

  it('refuses if a file or a link has its name', async () => {
    for (const make of [
      (path: string) => writeFile(path, ''),
      async (path: string) => symlinkSync('/', path),
    ]) {
      const place = await openPlace({ planning: false })
      await make(join(place.projectDir, '.planning'))
      expect(await place.history.planning(place.projectId)).toMatchObject({ state: 'unusable' })
      await expect(place.history.makePlanningFolder(place.projectId)).rejects.toThrow(/\.planning/)
    }
  })
})
