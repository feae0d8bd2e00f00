/** Random trees of transcripts, exported and imported: they are the same afterwards. And an import that is killed. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { createExportService } from '../../src/main/export/export-service.ts'
import { createSessionImports } from '../../src/main/imports/session-imports.ts'
import {
  blobDirectory,
  openJournal,
  type RecordBody,
  readBlob,
  readRawRecords,
} from '../../src/main/journal/index.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { createKeyedMutex } from '../../src/shared/async/keyed-mutex.ts'
import type { ImportedSession } from '../../src/shared/contract/imports.ts'
import { emptyLedgerState } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { parseEntry } from '../../src/shared/records/parse-entry.ts'
import type { Report } from '../../src/shared/records/tasks/reports.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import { soakFactor } from '../crash/effort.ts'
import { createFakeHost } from '../fake-host/fake-host.ts'
import { session } from '../fixtures/entries/builder.ts'
import { entriesOf, temporaryDir } from '../harness.ts'
import fc, { anyText } from '../random.ts'

/** Half a surrogate pair, a NUL, `long` for a text that is kept outside of its record, and any other. */
const text = fc.oneof(
  { weight: 6, arbitrary: anyText({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom('\ud800', 'a\0b', '\u2028', '{"shiplog":"end"}\n', '') },
  { weight: 1, arbitrary: fc.constant('long') },
)
const step = fc.oneof(
  text.map((say) => ({ say })),
  text.map((think) => ({ think })),
  fc.record({ command: text, output: text }).map(({ command, output }) => ({
    call: { name: 'bash', input: { command }, output },
  })),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never
const part = fc.oneof(
  text.map((prompt) => ({ prompt })),
  fc.array(step, { minLength: 1, maxLength: 3 }).map((turn) => ({ turn })),
  text.map((unknown) => ({ unknown })),
)
const tree = fc.array(
  fc.record({
    title: text,
    parts: fc.array(part, { maxLength: 6 }),
    /** A file of UTF-8, which holds no half of a surrogate pair. */
    report: fc.option(text.map((one) => one.toWellFormed())),
    /** Index of the parent, among those before it. */
    parent: fc.nat(),
  }),
  { minLength: 1, maxLength: 4 },
)

/** Longer than what a record holds; short in the report of a failure. */
const whole = (given: string) => (given === 'long' ? 'gannet '.repeat(40_000) : given)

interface Made {
  task: Task
  file: string
  report: Report | null
}

function wholeStep(one: Step): Step {
  if ('say' in one) return { say: whole(one.say) }
  if ('think' in one) return { think: whole(one.think) }
  const { input, output } = one.call
  return { call: { name: 'bash', input: { command: whole(input.command) }, output: whole(output) } }
}

/** The tasks of a tree, the root first, each with its journal. */
async function makeTree(
  template: Task,
  given: typeof tree extends fc.Arbitrary<infer T> ? T : never,
) {
  const dir = await temporaryDir()
  const made: Made[] = []
  for (const [at, { title, parts, report, parent }] of given.entries()) {
    const id = newTaskId()
    const above = at === 0 ? null : (made[parent % at]?.task.id ?? null)
    const rootId = made[0]?.task.id ?? id
    const file = join(dir, id, 'chat.jsonl')
    await mkdir(join(dir, id))
    const built = session(id).runStart()
    for (const one of parts)
      if ('prompt' in one) built.prompt(whole(one.prompt))
      else if ('turn' in one) built.turn(one.turn.map(wholeStep))
      else built.unknown('from-the-future', { said: one.unknown })
    const journal = await openJournal(file)
    for (const { seq: _, ...body } of built.runEnd().entries)
      await journal.append((body.type === 'unknown' ? body.record : body) as RecordBody)
    await journal.close()
    made.push({
      task: { ...template, id, parentId: above, rootId, title, hasReport: report !== null },
      file,
      report:
        report === null
          ? null
          : {
              taskId: id,
              run: 1,
              title,
              reportMarkdown: report,
              ancestorIds: [],
              createdAt: template.createdAt,
            },
    })
  }
  return made
}

async function exportOf(made: Made[], format: 'jsonl' | 'json'): Promise<string> {
  const of = (id: TaskId) => made.find(({ task }) => task.id === id) as Made
  const service = createExportService({
    source: {
      task: (id) => of(id).task,
      children: (id) => made.flatMap(({ task }) => (task.parentId === id ? [task] : [])),
      projectName: () => 'harbour',
      records: (id) => readRawRecords(of(id).file),
      partial: async () => null,
      blob: (id, sha256) => readBlob(blobDirectory(of(id).file), sha256),
      report: async (id) => of(id).report,
      fileContent: async () => null,
      async *files() {},
    },
    turns: async () => ({}),
    maskKnown: (known) => known,
    version: '0',
    clock: () => 0,
  })
  const file = join(await temporaryDir(), `export.${format}`)
  const root = made[0]?.task.id as TaskId
  const request = {
    format,
    children: 'inline' as const,
    outputs: 'bounded' as const,
    redact: false,
    keep: [],
    files: false,
    content: false,
  }
  let all = ''
  for await (const event of service.read(root, request))
    if (event.type === 'text') all += event.text
  await writeFile(file, all)
  return file
}

const entriesIn = async (file: string): Promise<Entry[]> => {
  const entries: Entry[] = []
  for await (const raw of readRawRecords(file))
    if (raw.seq !== null) entries.push(parseEntry((await raw.read()).record))
  return entries
}

async function someTask(): Promise<Task> {
  const host = createFakeHost()
  host.complete(host.start({ projectId: host.addProject('/home/ada/harbour'), title: 'Sail' }))
  const { tasks } = await host.client.tasks.list({ all: true })
  const { children: _, ...task } = tasks[0] as (typeof tasks)[number]
  return { ...task, callId: null, resumedFrom: null, dependsOn: [], depth: 0 }
}

it('[E1] restores any tree of transcripts unchanged: entries, order, parents, titles and reports', async () => {
  const template = await someTask()
  const there = await openShiplog({ host: 'cli', dataDir: await temporaryDir() })
  onTestFinished(() => there.close())
  await fc.assert(
    fc.asyncProperty(tree, fc.constantFrom('jsonl', 'json'), async (given, format) => {
      const made = await makeTree(template, given)
      const path = await exportOf(made, format)
      expect(await importFrom(there.client.imports, path)).toMatchObject([
        { taskId: made[0]?.task.id, linked: made.length - 1 },
      ])
      for (const { task, file, report } of made) {
        const home = join(there.dataDir, 'archive', made[0]?.task.id as TaskId)
        const chat =
          task.parentId === null
            ? join(home, 'chat.jsonl')
            : join(home, 'subagent-transcripts', task.id, 'chat.jsonl')
        expect(await entriesIn(chat)).toEqual(await entriesIn(file))
        const { tasks } = await there.client.tasks.list({ all: true })
        expect(JSON.stringify(tasks)).toContain(JSON.stringify(task.title))
        const found = await there.client.tasks.report({ taskId: task.id }).catch(() => null)
        expect(found?.reportMarkdown ?? null).toBe(report?.reportMarkdown ?? null)
      }
    }),
    { numRuns: 6 * soakFactor },
  )
})

it('[E1] an import that is killed between the move and its event leaves nothing incomplete: it is reported, and repeated', async () => {
  const made = await makeTree(await someTask(), [
    { title: 'Sail', parts: [{ prompt: 'Sail to the island' }], report: 'Arrived.', parent: 0 },
  ])
  const path = await exportOf(made, 'jsonl')
  const dataDir = await temporaryDir()
  const id = made[0]?.task.id as TaskId
  await (await openShiplog({ host: 'cli', dataDir })).close()
  const killed = createSessionImports({
    ledger: {
      state: emptyLedgerState(dataDir),
      record: () => Promise.reject(new Error('killed')),
      subscribe: () => () => {},
    } as unknown as Parameters<typeof createSessionImports>[0]['ledger'],
    layout: layoutOf(dataDir),
    clock: Date.now,
    oneAtATime: createKeyedMutex(),
    transcriptFile: async () => null,
  })
  await expect(importFrom(killed, path)).rejects.toThrow('killed')

  const there = await openShiplog({ host: 'cli', dataDir })
  onTestFinished(() => there.close())
  expect((await there.client.tasks.list({ all: true })).tasks).toEqual([])
  const left = layoutOf(dataDir).archiveDir(id)
  const { problems } = await there.client.doctor.check({ repair: false })
  expect(problems.map(({ path: where }) => join(dataDir, where))).toContain(left)
  expect(await importFrom(there.client.imports, path)).toMatchObject([{ taskId: id, isNew: true }])
  expect(await entriesOf(there, id)).toEqual(await entriesIn(made[0]?.file ?? ''))
  expect((await there.client.doctor.check({ repair: false })).problems).toEqual([])

  // A folder of which it is not known where it comes from is not replaced.
  const other = await openShiplog({ host: 'cli', dataDir: await temporaryDir() })
  onTestFinished(() => other.close())
  await mkdir(layoutOf(other.dataDir).archiveDir(id), { recursive: true })
  await expect(importFrom(other.client.imports, path)).rejects.toThrow('Move it away')
})

async function importFrom(
  { run }: { run(request: { tool: 'shiplog'; path: string }): Run | Promise<Run> },
  path: string,
) {
  const sessions = []
  for await (const event of await run({ tool: 'shiplog', path }))
    if (event.type === 'session') sessions.push(event.session)
    else if (event.type === 'skipped') throw new Error(event.skipped.reason)
  return sessions
}
type Run = AsyncIterable<
  | { type: 'progress' }
  | { type: 'session'; session: ImportedSession }
  | { type: 'skipped'; skipped: { reason: string } }
>
