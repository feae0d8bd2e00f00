/**
 * `chat.state.json`: the fold of a session's entries up to one of them, so that reading the state
 * needs only the later entries. Disposable: a checkpoint that can't be proved to belong to this
 * journal is not used. See FORMAT.md.
 */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import {
  agentSessionCostSchema,
  agentSessionRefSchema,
  planItemSchema,
} from '../../shared/agents/agent-records.ts'
import type { BriefState } from '../../shared/projections/session/brief-state.ts'
import type { SessionState } from '../../shared/projections/session/session-state.ts'
import { unknownCallSchema } from '../../shared/records/drift.ts'
import {
  entryIdSchema,
  promptIdSchema,
  runIdSchema,
  taskIdSchema,
  toolCallIdSchema,
} from '../../shared/records/ids.ts'
import { usageSchema } from '../../shared/records/usage.ts'
import { openDataFile, replaceUnsynced } from '../journal/index.ts'
import { earlierStatesMax } from './earlier-states.ts'
import { checkpointFile } from './session-files.ts'

const checkpointVersion = 2

/**
 * Identifies the fold. Increase the number when `projections/session/` folds the same
 * entries differently. The rest is a fingerprint of the shapes of entries and state, which
 * tests/toolchain/fold-rules.test.ts computes, because computing it here would take longer than
 * reading a checkpoint.
 */
export const foldRules = '3-Pwthh9NxWvPRQ7LyAhhdEiJrIloVxYB_4I1Od5Ec6rc'

/**
 * The limits of the fold keep checkpoints far smaller. A longer file is not ours and must not fill
 * the memory.
 */
const checkpointBytesMax = 64 << 20

interface Checkpoint {
  state: SessionState
  /** States as of earlier entries, in order (see `earlier-states.ts`). */
  earlier: BriefState[]
  /** The checksum of the journal's record `state.seq`, which by the chain covers all before it. */
  sum: string
  /** The length of the journal when this was written. */
  bytes: number
}

/**
 * Reads the checkpoint in `dir` without comparing it with the journal; null if there is none that
 * this version can use. Never throws.
 */
export async function readCheckpoint(dir: string): Promise<Checkpoint | null> {
  try {
    const [body = '', check, rest] = (await readText(join(dir, checkpointFile))).split('\n')
    if (check !== sumOf(body) || rest !== '') return null
    const parsed = checkpointSchema.safeParse(JSON.parse(body))
    if (!parsed.success || parsed.data.rules !== foldRules) return null
    const { state, earlier, sum, bytes } = parsed.data
    return { state: restored(state), earlier, sum, bytes }
  } catch {
    // Missing or unreadable: the journal holds the same.
    return null
  }
}

/** Serializes the state at once, because the fold is updated in place. */
export const stateText = (state: SessionState): string => JSON.stringify(stored(state))

/**
 * Replaces the checkpoint in `dir`; `state` is a `stateText`. Not synced. Rejects with the system's
 * error.
 */
export async function writeCheckpoint(
  dir: string,
  { state, ...about }: { state: string } & Omit<Checkpoint, 'state'>,
): Promise<void> {
  const opening = JSON.stringify({ version: checkpointVersion, rules: foldRules, ...about })
  const body = `${opening.slice(0, -1)},"state":${state}}`
  await replaceUnsynced(join(dir, checkpointFile), [Buffer.from(`${body}\n${sumOf(body)}\n`)])
}

async function readText(file: string): Promise<string> {
  const handle = await openDataFile(file, 'read')
  try {
    const { size } = await handle.stat()
    if (size > checkpointBytesMax) throw new Error('not a checkpoint')
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

const sumOf = (body: string): string => hash('sha256', body, 'base64url')

const count = z.number().int().min(0)

const briefFields = {
  seq: count.min(1),
  forkDepth: count,
  at: z.number().nullable(),
  place: z.object({ directory: z.string().nullable(), branch: z.string().nullable() }),
  lastTurn: count,
  run: z.object({ seq: count, run: count, model: z.string().nullable() }).nullable(),
  model: z.string().nullable(),
  usage: usageSchema,
}

/**
 * The state with maps as lists; the marks of files as a flat list of numbers, because there may be
 * thousands.
 */
export const storedStateSchema = z.object({
  ...briefFields,
  beganAt: z.number().nullable(),
  messages: count,
  titled: z.boolean(),
  message: z.object({ uuid: entryIdSchema, turn: count }).nullable(),
  completed: z.object({ turns: count, seq: count, resultSeq: count }),
  resultSeq: count,
  prompt: z.object({ seq: count, runId: runIdSchema, cwd: z.string() }).nullable(),
  steered: z.array(promptIdSchema),
  runEnd: z
    .object({
      seq: count,
      run: count,
      status: z.enum(['completed', 'interrupted', 'failed']),
      at: z.number(),
    })
    .nullable(),
  reported: z.boolean(),
  withheld: z.array(z.string()).nullable(),
  worktree: z
    .object({ originalCwd: z.string(), worktreePath: z.string(), worktreeBranch: z.string() })
    .nullable(),
  shell: z.object({
    cwd: z.string().nullable(),
    env: z.array(z.tuple([z.string(), z.string()])),
  }),
  openCalls: z.array(
    z.object({
      seq: count,
      messageUuid: entryIdSchema,
      runId: runIdSchema,
      turn: count,
      callId: toolCallIdSchema,
      name: z.string(),
      notRun: z.literal(true).optional(),
    }),
  ),
  unknownCalls: z.array(z.tuple([toolCallIdSchema, unknownCallSchema])),
  runUsage: usageSchema,
  agentSession: agentSessionRefSchema.nullable(),
  agentSessionCost: agentSessionCostSchema,
  plan: z.array(planItemSchema).nullable(),
  keptFromSeq: count,
  children: z.array(taskIdSchema),
  links: z.array(z.string()),
  tree: z
    .object({
      seq: count,
      at: z.number(),
      head: z.string().nullable(),
      branch: z.string().nullable(),
      tree: z.string(),
    })
    .nullable(),
  sinceTree: z.object({
    written: z.array(z.tuple([z.string(), z.string().nullable()])),
    unclearCalls: z.array(toolCallIdSchema),
    anyFile: z.boolean(),
  }),
  headMoves: z.array(z.object({ from: z.string().nullable(), to: z.string() })),
  files: z.object({
    paths: z.array(z.string()),
    /** For each path its `changedAt`, `writtenSeq` and `attributedSeq`. */
    marks: z.array(z.number()),
  }),
  filePathChars: count,
  filesCut: z.boolean(),
})
type StoredState = z.infer<typeof storedStateSchema>

const checkpointSchema = z.object({
  version: z.literal(checkpointVersion),
  rules: z.string(),
  sum: z.string(),
  bytes: count,
  earlier: z.array(z.object(briefFields)).max(earlierStatesMax),
  state: storedStateSchema,
})

const marksEach = 3

function stored(state: SessionState): StoredState {
  const { shell, openCalls, unknownCalls, sinceTree, files } = state
  const marks = [...files.values()].flatMap(({ changedAt, writtenSeq, attributedSeq }) => [
    changedAt,
    writtenSeq,
    attributedSeq,
  ])
  return {
    ...state,
    shell: { ...shell, env: [...shell.env] },
    openCalls: [...openCalls.values()],
    unknownCalls: [...unknownCalls],
    sinceTree: {
      ...sinceTree,
      written: [...sinceTree.written],
      unclearCalls: [...sinceTree.unclearCalls],
    },
    files: { paths: [...files.keys()], marks },
  }
}

/** Throws if the number of marks does not match the number of paths. */
function restored(state: StoredState): SessionState {
  const { shell, openCalls, unknownCalls, sinceTree } = state
  const { paths, marks } = state.files
  if (marks.length !== paths.length * marksEach) throw new Error('marks of other paths')
  const files: SessionState['files'] = new Map()
  for (const [index, path] of paths.entries()) {
    const [changedAt = 0, writtenSeq = 0, attributedSeq = 0] = marks.slice(
      index * marksEach,
      (index + 1) * marksEach,
    )
    files.set(path, { changedAt, writtenSeq, attributedSeq })
  }
  return {
    ...state,
    shell: { ...shell, env: new Map(shell.env) },
    openCalls: new Map(openCalls.map((call) => [call.callId, call])),
    unknownCalls: new Map(unknownCalls),
    sinceTree: {
      ...sinceTree,
      written: new Map(sinceTree.written),
      unclearCalls: new Set(sinceTree.unclearCalls),
    },
    files,
  }
}
