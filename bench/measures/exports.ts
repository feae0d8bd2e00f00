/** Measures exporting a long transcript, masked and unmasked, and importing it again. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { createExportService } from '../../src/main/export/export-service.ts'
import { readRawRecords } from '../../src/main/journal/index.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { ExportFormat } from '../../src/shared/contract/exports.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import { createFakeHost } from '../../tests/fake-host/fake-host.ts'
import { writeTranscript } from '../data/finished-tasks.ts'
import type { Bench } from '../runner/bench.ts'
import { alternate, find, type Measured, timed } from '../runner/rounds.ts'

export async function measureExports(bench: Bench): Promise<Measured> {
  const task = await someTask()
  const recorded = join(bench.dir, 'recorded')
  bench.say(`making a transcript of ${bench.sizes.entries} entries`)
  const counts = await writeTranscript(recorded, task.id, bench.seed, bench.sizes.entries)
  if (!counts) throw new Error('no transcript was written')
  const { bytes, entries } = counts
  const file = join(layoutOf(recorded).sessionDir(task.id), 'chat.jsonl')
  const service = createExportService({
    source: {
      task: () => task,
      children: () => [],
      projectName: () => 'harbour',
      records: () => readRawRecords(file),
      partial: async () => null,
      blob: async () => null,
      report: async () => null,
      fileContent: async () => null,
      async *files() {},
    },
    turns: async () => ({}),
    maskKnown: (text) => text,
    version: '0',
    clock: () => 0,
    // A name that no text contains, so that no record is masked.
    person: { home: '/home/nobody-at-all', user: null },
  })
  const exported = join(bench.dir, 'export.jsonl')
  const write = (format: ExportFormat, redact: boolean) =>
    timed(async () => {
      const asked = { format, redact, keep: [], files: false, content: false }
      const events = service.read(task.id, { ...asked, children: 'none', outputs: 'bounded' })
      const texts = async function* () {
        for await (const event of events)
          if (event.type === 'text') yield event.text
          else if (event.withheld > 0) throw new Error('some entries were left out')
      }
      await pipeline(texts, createWriteStream(exported))
    })
  const rounds = await alternate(
    {
      parsed: async () => ({ ms: await timed(() => parse(file)) }),
      markdown: async () => ({ ms: await write('md', false) }),
      masked: async () => ({ ms: await write('jsonl', true) }),
      lines: async () => ({ ms: await write('jsonl', false) }),
      // Imports the lines that this round wrote last.
      imported: async () => ({ ms: await importInto(join(bench.dir, 'data'), exported) }),
    },
    { rounds: bench.rounds },
  )
  const ms = find(rounds, 'ms', {
    'reading and parsing': ({ parsed }) => parsed.ms,
    'export as JSON Lines': ({ lines }) => lines.ms,
    'import of that': ({ imported }) => imported.ms,
  })
  const ratios = find(rounds, 'x', {
    'export as JSON Lines over reading and parsing': ({ lines, parsed }) => lines.ms / parsed.ms,
    'the same, searched for secrets': ({ masked, parsed }) => masked.ms / parsed.ms,
    'export as Markdown over reading and parsing': ({ markdown, parsed }) =>
      markdown.ms / parsed.ms,
    'import over reading and parsing': ({ imported, parsed }) => imported.ms / parsed.ms,
  })
  return {
    title: `Exporting a transcript of ${Math.round(bytes / 1e6)} MB, ${entries} entries`,
    rounds: rounds.length,
    figures: Object.values(ms),
    ratios: Object.values(ratios),
    verdicts: [],
    notes: ['The import is checked as a whole, and durable when it ends.'],
  }
}

async function parse(file: string): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(file) })) JSON.parse(line)
}

async function importInto(dataDir: string, path: string): Promise<number> {
  await rm(dataDir, { recursive: true, force: true })
  await mkdir(dataDir)
  const shiplog = await openShiplog({ host: 'cli', dataDir })
  try {
    return await timed(async () => {
      for await (const event of await shiplog.client.imports.run({ tool: 'shiplog', path }))
        if (event.type === 'skipped') throw new Error(event.skipped.reason)
    })
  } finally {
    await shiplog.close()
  }
}

async function someTask(): Promise<Task> {
  const host = createFakeHost()
  host.complete(host.start({ projectId: host.addProject('/home/ada/harbour'), title: 'Sail' }))
  const { tasks } = await host.client.tasks.list({ all: true })
  const [tree] = tasks
  if (!tree) throw new Error('the fake host has no task')
  const { children: _, ...task } = tree
  const id = newTaskId()
  return { ...task, id, rootId: id, hasReport: false }
}
