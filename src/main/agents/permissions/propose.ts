/** Proposes the narrowest rule that covers a segment, for a user to remember. */

import { basename } from 'node:path'
import { hiddenCharacterIn } from '../../../shared/text/shown-text.ts'
import { isHarmlessVariable, type PlacedCommand } from './rules.ts'
import type { ShellAssignment } from './shell/segments.ts'
import type { ShellWord } from './shell/words.ts'
import { coversArgument } from './stars/starred.ts'
import { isInterpreter, starredCommand } from './stars/starred-commands.ts'

/** Returns null if a rule would cover too much, can't be written, or would not cover it. */
export function proposedRule(command: PlacedCommand): string | null {
  const { words, assignments } = command.segment
  const { isInside, runsInside, isReadOtherwise } = command
  const [name, ...args] = words
  const prefix = assignments.filter((one) => !isHarmlessVariable(one))
  if (!runsInside || isReadOtherwise || prefix.some(({ value }) => value === null)) return null
  if (name === undefined || name.kind !== 'literal') return null
  const start = prefix.map(textOfAssignment)
  const known = starredCommand(words)
  const isCovered =
    known !== null &&
    words.every(
      (word, at) =>
        at < known.length || coversArgument(known.covers, word, isInside[at], words[at - 1]),
    )
  const texts = (isCovered ? words.slice(0, known.length) : words).map(textOfWord)
  if (!texts.every((text) => text !== null)) return null
  if (isCovered) return rule([...start, ...texts, '*'])
  // As the last word of a rule it matches any arguments.
  if (args.at(-1)?.kind === 'glob' && texts.at(-1) === '*') return null
  const [first] = args
  const namesNoFile = first?.kind !== 'literal' || first.value.startsWith('-')
  if (isInterpreter(name.value) && namesNoFile) return null
  if (runsInput.test(name.value) || isInterpreter(lastName(words))) return null
  return rule([...start, ...texts])
}

/**
 * Reports whether a rule is what it looks like where rules are shown and changed, each on a line. A line break would make
 * two rules of it, the second of which may allow anything.
 */
export const isReadableRule = (rule: string): boolean =>
  !/[\n\t]/.test(rule) && hiddenCharacterIn(rule) === null

/**
 * Programs that run what they get as input, whatever their arguments: a rule would cover every input. The same holds for
 * an interpreter at the end of a command, as in `docker exec -i web sh`.
 */
const runsInput =
  /^(?:ssh|psql|mysql|mariadb|sqlite3?|mongo|mongosh|redis-cli|gdb|lldb|ed|ex|n?vim?|emacs|at|batch|crontab|parallel|irb|ghci|R|julia|lua|tclsh|expect|screen|tmux)$/

function lastName(words: readonly ShellWord[]): string {
  const last = words.length > 1 ? words.at(-1) : undefined
  return last?.kind === 'literal' ? basename(last.value) : ''
}

const rule = (words: string[]): string => `bash: ${words.join(' ')}`

const textOfAssignment = ({ name, value }: ShellAssignment): string =>
  `${name}=${shellQuoted(value ?? '')}`

/** Returns null for a word that is only known when it runs, and for a pattern or `~` of which a part has to be quoted. */
function textOfWord(word: ShellWord): string | null {
  if (word.kind === 'dynamic') return null
  if (word.kind === 'glob') return /^[\w@%+=:,./*?[\]-]+$/.test(word.value) ? word.value : null
  if (word.hasHome) return /^[\w@%+=:,./~-]+$/.test(word.value) ? word.value : null
  return shellQuoted(word.value)
}

/** Quotes a text so that it is one word of a command. */
function shellQuoted(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}
