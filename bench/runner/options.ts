/** The options of `npm run bench`. */
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { fullSizes, quickSizes, type Sizes } from './bench.ts'

export interface Options {
  kind: 'measure'
  /** Where to measure. */
  dir: string
  only: string[]
  /** The file that the numbers are written to; null: none. */
  json: string | null
  sizes: Sizes
  rounds: number
  seed: number
}

export const usage = `npm run bench -- [options]
  --quick           small sizes, three rounds: to see that it works
  --only a,b        these measurements: appends, opening, random-page, healing, first-turn, replay, removal,
                    start-up, turn-store, search, full-text, exports, model-turns, agents, imports,
                    program-starts, and long-import, which is only made if it is named
  --rounds N        how often each comparison is made
  --seed N          of the generated data
  --dir DIR         where to measure; by default the system's folder for temporary files
  --json FILE       the numbers as JSON
sizes
  --appends N  --writers N  --record-bytes N      durable appends
  --entries N  --journal-mb N                     the long journal
  --children N  --transcripts-mb N                the workspace that is removed
  --tasks N                                       the archived tasks of a start
  --files N  --turns N                            the files of turns
  --searched N                                    the files of the project that is searched
  --searched-entries N                            the entries of full-text search
  --model-turns N                                 of one conversation with a model
  --streaming N                                   the agents that stream at once
  --sessions N  --session-kb N                    the sessions of another tool
  --long-session-mb N                             a single one`

export const uiUsage = `npm run bench:ui -- [options]
  --quick           a short transcript and three rounds: to see that it works
  --only a,b        these measurements: opening, moving, resting, streaming, navigation
  --rounds N        how often each comparison is made
  --seed N          of the generated data
  --dir DIR         where to measure; by default the system's folder for temporary files
  --json FILE       the numbers as JSON
sizes
  --entries N  --journal-mb N                     the long transcript
  --streaming N                                   the agents that stream at once`

const roundsDefault = 7
const quickRounds = 3
const seedDefault = 20261121

const sizeOptions = {
  'model-turns': 'modelTurns',
  sessions: 'sessions',
  'session-kb': 'sessionKb',
  'long-session-mb': 'longSessionMb',
  streaming: 'streaming',
  searched: 'searched',
  'searched-entries': 'searchedEntries',
  appends: 'appends',
  writers: 'writers',
  'record-bytes': 'recordBytes',
  entries: 'entries',
  'journal-mb': 'journalMb',
  children: 'children',
  'transcripts-mb': 'transcriptsMb',
  tasks: 'tasks',
  files: 'files',
  turns: 'turns',
} as const satisfies Record<string, keyof Sizes>

const text = { type: 'string' } as const
const sizeTexts = Object.fromEntries(
  Object.keys(sizeOptions).map((option) => [option, text]),
) as Record<keyof typeof sizeOptions, typeof text>

export function parseOptions(
  args: string[],
  names: string[],
  /** Measurements that run only if they are named. */
  optional: string[] = [],
): Options | { kind: 'help' } | { kind: 'wrong'; message: string } {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean' },
        quick: { type: 'boolean' },
        only: text,
        rounds: text,
        seed: text,
        dir: text,
        json: text,
        ...sizeTexts,
      },
    })
    if (values.help) return { kind: 'help' }
    const sizes = { ...(values.quick ? quickSizes : fullSizes) }
    for (const [option, size] of Object.entries(sizeOptions)) {
      const given = values[option as keyof typeof sizeOptions]
      if (given !== undefined) sizes[size] = count(option, given)
    }
    const only = values.only?.split(',') ?? names.filter((name) => !optional.includes(name))
    const unknown = only.find((name) => !names.includes(name))
    if (unknown !== undefined) throw new Error(`there is no measurement "${unknown}"`)
    return {
      kind: 'measure',
      dir: values.dir ?? tmpdir(),
      only,
      json: values.json ?? null,
      sizes,
      rounds: values.rounds
        ? count('rounds', values.rounds)
        : values.quick
          ? quickRounds
          : roundsDefault,
      seed: values.seed ? count('seed', values.seed) : seedDefault,
    }
  } catch (error) {
    return { kind: 'wrong', message: (error as Error).message }
  }
}

function count(option: string, text: string): number {
  if (!/^[1-9][0-9]{0,9}$/.test(text))
    throw new Error(`--${option} takes a whole number from 1 on, not "${text}"`)
  return Number(text)
}
