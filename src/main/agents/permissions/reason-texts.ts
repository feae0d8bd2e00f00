/** The sentences that say why a user is asked about a command. Those about several programs or files become one. */
import { listed } from '../../../shared/text/counted.ts'
import { named } from './named.ts'

/** What is said of programs, files or variables. */
export interface Reason {
  says: keyof typeof sentences
  names: string[]
  /** Sentences that follow. */
  also?: string[]
}

type Sentence = (names: string[], isOne: boolean) => string

const sentences = {
  'no-rule': (names) => `No rule allows ${firstOf(names, 'or')}.`,
  'no-rule-outside': (names) =>
    `No rule allows ${firstOf(names, 'or')} outside the working directory.`,
  'not-plain': (names, isOne) =>
    `No rule allows ${firstOf(names, 'or')}, which ${isOne ? 'runs' : 'run'} unasked only in commands of plain words.`,
  'in-program': (names, isOne) =>
    `No rule allows ${firstOf(names, 'or')}, which ${isOne ? 'does' : 'do'} not run unasked within another program.`,
  sets: (names, isOne) => `It sets the ${isOne ? 'variable' : 'variables'} ${firstOf(names)}.`,
  reads: (names) => `It reads ${firstOf(names)}, outside the working directory.`,
  'may-read': (names) => `It reads ${firstOf(names)}, which may be outside the working directory.`,
  writes: (names) => `It writes to ${firstOf(names)}.`,
  'writes-outside': (names) => `It writes to ${firstOf(names)}, outside the working directory.`,
  'may-write-outside': (names) =>
    `It writes to ${firstOf(names)}, which may be outside the working directory.`,
  'writes-git': (names, isOne) =>
    `It writes to ${firstOf(names)}, which ${isOne ? 'belongs' : 'belong'} to Git.`,
  'writes-shiplog': (names, isOne) =>
    `It writes to ${firstOf(names)}, which ${isOne ? 'belongs' : 'belong'} to Shiplog.`,
  'writes-configuration': (names) =>
    `It writes to ${firstOf(names)}, which may change what an agent runs.`,
} satisfies Record<string, Sentence>

/** More names in a sentence are not read: all of them are in the command. */
const namesMax = 6

/** One sentence for all reasons that say the same, in the order in which they first occur. */
export function reasonTexts(reasons: readonly Reason[]): string[] {
  const said = Map.groupBy(reasons, ({ says }) => says)
  return [...said].flatMap(([says, all]) => {
    const distinct = [...new Set(all.flatMap(({ names }) => names.map(named)))]
    const say: Sentence = sentences[says]
    const also = new Set(all.flatMap((reason) => reason.also ?? []))
    return [say(distinct, distinct.length === 1), ...also]
  })
}

function firstOf(names: string[], word?: 'and' | 'or'): string {
  const shown = names.length > namesMax ? names.slice(0, namesMax - 1) : names
  const left = names.length - shown.length
  return listed(left > 0 ? [...shown, `${left} more`] : shown, word)
}
