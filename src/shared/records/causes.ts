/**
 * Why a run ended or a task does not run, as a value in the ledger, `run-end` entries, tool results, the contract and the
 * views. `formatCause` is its text for all of them; no code depends on the text.
 */
import { z } from 'zod'
import { assertNever } from '../assert-never.ts'
import { listFirst } from '../text/counted.ts'
import { momentOf } from '../text/format-time.ts'
import { taskIdSchema } from './ids.ts'

/** A message of a program or a service, for display only. */
const detail = z.string()

export const causeSchema = z.discriminatedUnion('kind', [
  /** This agent, or an ancestor, was stopped. */
  z.object({ kind: z.literal('stopped'), by: z.enum(['person', 'parent']) }),
  z.object({ kind: z.literal('workspace-removed') }),
  z.object({ kind: z.literal('abandoned') }),
  /** Another task with the same prompt replaced it. */
  z.object({ kind: z.literal('restarted') }),
  /** Shiplog exited cleanly. `close`: for an unknown reason. */
  z.object({
    kind: z.literal('closed'),
    how: z.enum(['quit', 'interrupt', 'terminate', 'hang-up', 'close']),
  }),
  /** Shiplog's process ended before the run; detected at the next start. */
  z.object({ kind: z.literal('crashed') }),
  /** `code`: the system's, such as ENOSPC or EDQUOT. */
  z.object({ kind: z.literal('disk-full'), code: z.string(), detail }),
  z.object({ kind: z.literal('disk-failed'), code: z.string(), detail }),
  /** `untilMs`: when it ends, in milliseconds since the epoch; null if unknown. */
  z.object({ kind: z.literal('quota'), untilMs: z.number().nullable(), detail }),
  z.object({ kind: z.literal('sign-in'), detail }),
  z.object({ kind: z.literal('network'), detail }),
  /** The model's provider, or the agent's program, refused the request. */
  z.object({ kind: z.literal('refused'), detail }),
  /** The agent's process ended. `exitCode` is null if a signal ended it. */
  z.object({
    kind: z.literal('agent-died'),
    exitCode: z.number().int().nullable(),
    signal: z.string().nullable(),
    detail,
  }),
  z.object({ kind: z.literal('no-report') }),
  /** It could not continue without a permission that was denied. */
  z.object({ kind: z.literal('permission-denied'), detail }),
  /**
   * What the repository configures for an installed agent runs code and was not allowed (K8). `nobody`: no user could
   * be asked. `unshowable`: it can't be shown, so it can't be allowed; `detail` says why.
   */
  z.object({
    kind: z.literal('agent-config'),
    agent: z.string(),
    why: z.enum(['refused', 'nobody', 'unshowable']),
    files: z.array(z.string()),
    detail,
  }),
  z.object({ kind: z.literal('budget'), detail }),
  /** Tasks that it depends on did not complete; with their titles and statuses at that moment. */
  z.object({
    kind: z.literal('dependencies'),
    tasks: z.array(z.object({ taskId: taskIdSchema, title: z.string(), status: z.string() })),
  }),
  /** It could not be started. */
  z.object({ kind: z.literal('not-started'), step: z.enum(['worktree', 'run']), detail }),
  /** The agent itself reported the failure. */
  z.object({ kind: z.literal('said'), text: z.string() }),
  /** Any other error. */
  z.object({ kind: z.literal('error'), detail }),
])
export type Cause = z.infer<typeof causeSchema>
export type ClosedHow = Extract<Cause, { kind: 'closed' }>['how']

/** Reports whether two causes read the same, so that a list shows them once. */
export const isSameCause = (a: Cause | null, b: Cause | null): boolean =>
  a === b || (a !== null && b !== null && a.kind === b.kind && formatCause(a) === formatCause(b))

export const isStoppedByPerson = (cause: Cause | null): boolean =>
  cause?.kind === 'stopped' && cause.by === 'person'

type Reader = 'person' | 'agent'

interface CauseFormat {
  /**
   * `full`: a phrase that can stand alone or after a colon. `short`: the same in the space of a list's row.
   * `clause`: what follows the word "Interrupted", with the space or colon before it.
   */
  form?: 'full' | 'short' | 'clause'
  /** The reader of the text, who is "you" if it is the user. */
  reader?: Reader
}

/** Formats a cause as a phrase, without an initial capital and without a full stop. */
export function formatCause(cause: Cause, format: CauseFormat = {}): string {
  const { form = 'full', reader = 'person' } = format
  const words = wordsOf(cause, reader)
  if (form === 'full') return words.full
  if (form === 'short') return words.short ?? words.full
  return words.clause ?? `: ${words.full}`
}

interface Words {
  full: string
  short?: string
  clause?: string
}

function wordsOf(cause: Cause, reader: Reader): Words {
  const person = reader === 'person' ? 'you' : 'the user'
  switch (cause.kind) {
    case 'stopped':
      return cause.by === 'person'
        ? { full: `stopped by ${person}`, clause: ` because ${person} stopped it` }
        : { full: 'stopped by its parent', clause: ' because its parent stopped it' }
    case 'workspace-removed':
      return because('its workspace was removed')
    case 'abandoned':
      return { full: `abandoned by ${person}`, clause: ` and abandoned by ${person}` }
    case 'restarted':
      return { full: 'restarted', clause: ' and restarted' }
    case 'closed':
      return closedTexts[cause.how]
    case 'crashed':
      return {
        full: 'Shiplog quit while this was running',
        short: 'Shiplog quit',
        clause: ' because Shiplog quit',
      }
    case 'disk-full':
    case 'disk-failed':
    case 'refused':
    case 'error':
      return { full: cause.detail }
    case 'quota':
      return cause.untilMs === null
        ? { full: cause.detail }
        : {
            full: `the quota is spent until ${untilFor(reader, cause.untilMs)}: ${cause.detail}`,
            short: 'quota spent',
          }
    case 'sign-in':
      return { full: cause.detail, short: 'not signed in' }
    case 'network':
      return { full: `the connection failed: ${cause.detail}`, short: 'no connection' }
    case 'agent-died':
      return { full: `the agent's process ${endOfProcess(cause)}${after(cause.detail)}` }
    case 'no-report':
      return { full: 'ended without a report' }
    case 'permission-denied':
      return { full: `permission denied: ${cause.detail}`, short: 'permission denied' }
    case 'agent-config':
      return {
        full: agentConfigTexts(cause, person),
        short: 'configuration not allowed',
      }
    case 'budget':
      return { full: `stopped by its budget: ${cause.detail}`, short: 'budget reached' }
    case 'dependencies':
      return {
        full: `it depends on ${cause.tasks.map(({ title, status }) => `"${title}" (${status})`).join(', ')}`,
      }
    case 'not-started':
      return cause.step === 'worktree'
        ? { full: `its worktree could not be created: ${cause.detail}` }
        : { full: `it could not be started: ${cause.detail}` }
    case 'said':
      return { full: cause.text }
    default:
      return assertNever(cause)
  }
}

function agentConfigTexts(
  { agent, why, files, detail }: Extract<Cause, { kind: 'agent-config' }>,
  person: string,
): string {
  const what = `what this repository configures for ${agent} (${listFirst(files, namedFilesMax)})`
  switch (why) {
    case 'refused':
      return `${person} did not allow ${what}`
    case 'nobody':
      return `${what} runs code and is not allowed yet. Resume it in the app or in a terminal, where you are asked, or read it in the transcript and resume with \`shiplog agent run --resume ID --trust\``
    case 'unshowable':
      return `${what} can't be shown, so it can't be allowed: ${detail}`
  }
}

/** Limit for the files in the text; the question lists all. */
const namedFilesMax = 3

/** An agent does not know the time zone of the user. */
function untilFor(reader: Reader, atMs: number): string {
  const iso = new Date(atMs).toISOString()
  return reader === 'person' ? momentOf(iso) : iso
}

const because = (full: string, short = full): Words => ({
  full,
  short,
  clause: ` because ${full}`,
})

const closedTexts: Record<ClosedHow, Words> = {
  quit: because('the app was quit', 'app quit'),
  interrupt: { full: 'stopped with Ctrl-C', short: 'Ctrl-C', clause: ' with Ctrl-C' },
  terminate: {
    full: 'the process was terminated (SIGTERM)',
    short: 'terminated',
    clause: ' because the process was terminated',
  },
  'hang-up': because('the terminal was closed', 'terminal closed'),
  close: because('Shiplog was closed', 'Shiplog closed'),
}

function endOfProcess({ exitCode, signal }: Extract<Cause, { kind: 'agent-died' }>): string {
  if (signal !== null) return `was killed (${signal})`
  return exitCode === null ? 'ended' : `ended with exit code ${exitCode}`
}

const after = (detail: string): string => (detail === '' ? '' : `: ${detail}`)
