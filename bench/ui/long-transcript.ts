/**
 * Creates finished roots for the window: one with a long transcript as agents write it, and short ones to navigate
 * from.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { chatFile, layoutOf } from '../../src/main/sessions/session-files.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import type { EntryBody } from '../../src/shared/records/entries.ts'
import {
  type ProjectId,
  type RunId,
  runIdOf,
  type TaskId,
  type ToolCallId,
} from '../../src/shared/records/ids.ts'
import type { TranscriptCounts } from '../../src/shared/records/tasks/transcript-status.ts'
import { finishedTask, projectAdded, writeTranscript } from '../data/finished-tasks.ts'
import { createGenerator } from '../data/generate.ts'
import { type Bench, fullSizes, megabyte } from '../runner/bench.ts'

export interface LongTranscript {
  dataDir: string
  projectDir: string
  long: TaskId
  short: TaskId
  /** `chat.jsonl` of the long transcript. */
  file: string
  entries: number
}

/** Whether the transcript is large enough to judge the targets. */
export const hasFullTranscript = ({ sizes }: Bench): boolean =>
  sizes.journalMb >= fullSizes.journalMb

export const longTitle = 'A long conversation'
export const shortTitle = 'A short conversation'

/** A command, a written file, their results, and the message. */
const entriesATurn = 5
const batchTurns = 200
const shortEntries = 40

export async function makeLongTranscript(bench: Bench): Promise<LongTranscript> {
  const { seed, sizes, dir, say } = bench
  say(`making a transcript of ${sizes.journalMb} MB, ${sizes.entries} entries`)
  const dataDir = join(dir, 'data')
  const projectDir = join(dir, 'project')
  await mkdir(projectDir, { recursive: true })
  const made = createGenerator(seed)
  const place = { projectId: made.uuid<ProjectId>(), projectDir }
  const long = made.uuid<TaskId>()
  const short = made.uuid<TaskId>()
  const counts = await writeLong(bench, dataDir, long)
  const ofShort = await writeTranscript(dataDir, short, seed, shortEntries)
  const ledger = await openLedger(layoutOf(dataDir).ledger, dataDir)
  const task = { parentId: null, prompt: 'Sail on.' }
  await ledger.record(
    projectAdded(place),
    ...finishedTask(place, { ...task, id: short, title: shortTitle }, ofShort),
    ...finishedTask(place, { ...task, id: long, title: longTitle }, counts),
  )
  await ledger.close()
  const file = join(layoutOf(dataDir).sessionDir(long), chatFile)
  return { dataDir, projectDir, long, short, file, entries: counts?.entries ?? 0 }
}

async function writeLong(
  { sizes, seed }: Bench,
  dataDir: string,
  taskId: TaskId,
): Promise<TranscriptCounts | null> {
  const sessions = createSessions()
  const session = await sessions.open(taskId, layoutOf(dataDir).sessionDir(taskId))
  const run = { runId: runIdOf(taskId, 1), run: 1 }
  const made = createGenerator(seed, taskId)
  const turns = Math.max(1, Math.floor(sizes.entries / entriesATurn))
  const bytes = (sizes.journalMb * megabyte) / turns
  await session.append(
    { type: 'title', title: longTitle },
    { type: 'run-start', ...run, reason: 'prompt', agent: 'lead' },
    { ...made.message(700), role: 'user', turn: null } as EntryBody,
  )
  for (let done = 0; done < turns; done += batchTurns) {
    const count = Math.min(batchTurns, turns - done)
    await session.append(
      ...Array.from({ length: count }, (_, n) =>
        turnOf(made, { n: done + n + 1, bytes, runId: run.runId }),
      ).flat(),
    )
  }
  await session.append({ type: 'run-end', ...run, status: 'completed', cause: null })
  const counts = await session.counts()
  await sessions.close(taskId)
  return counts
}

/** Shares of a turn's bytes; the rest is names, ids and checksums. */
const shares = { text: 0.15, reasoning: 0.05, output: 0.3, content: 0.35 }

function turnOf(
  made: ReturnType<typeof createGenerator>,
  { n, bytes, runId }: { n: number; bytes: number; runId: RunId },
): EntryBody[] {
  const message = made.message(bytes) as Extract<EntryBody, { type: 'message' }>
  const messageUuid = message.uuid ?? made.uuid()
  const share = (of: keyof typeof shares) => made.text(Math.floor(bytes * shares[of]))
  const call = (name: string) => ({
    messageUuid,
    runId,
    turn: n,
    name,
    callId: `${name}-${n}` as ToolCallId,
  })
  const bash = call('bash')
  const write = call('write_file')
  return [
    { type: 'tool-call', ...bash, input: { command: `npm test -- --only ${n}` } },
    { type: 'tool-result', ...bash, outcome: 'ok', durationMs: 800, output: share('output') },
    {
      type: 'tool-call',
      ...write,
      input: { path: `src/deck-${n % 10}/plank-${n}.ts`, content: share('content') },
    },
    { type: 'tool-result', ...write, outcome: 'ok', durationMs: 3, output: 'Written.' },
    {
      ...message,
      turn: n,
      parts: [
        { type: 'reasoning', text: share('reasoning') },
        { type: 'text', text: markdownOf(share('text'), n) },
        { type: 'tool-call', callId: bash.callId, name: bash.name },
        { type: 'tool-call', callId: write.callId, name: write.name },
      ],
    },
  ]
}

/** Markdown in the style of models: an occasional heading, a list, a block of code. */
function markdownOf(text: string, n: number): string {
  const cut = (from: number, to: number) =>
    text.slice(Math.floor(text.length * from), Math.floor(text.length * to)).replaceAll('`', "'")
  return [
    n % 4 === 0 ? `## Step ${n}\n` : '',
    `${cut(0, 0.4)}\n`,
    `- **${cut(0.4, 0.45)}** ${cut(0.45, 0.6)}\n- ${cut(0.6, 0.7)}\n`,
    `\`\`\`ts\nconst step = ${n}\n${cut(0.7, 1)}\n\`\`\`\n`,
  ].join('\n')
}
