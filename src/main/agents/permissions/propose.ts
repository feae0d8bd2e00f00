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
    known?.covers.isProposed === true &&
    words.every(
      (word, at) =>
        at < known.length || coversArgument(known.covers, word, isInside[at], words[at - 1]),
    )
  const texts = (isCovered ? words.slice(0, known.length) : words).map(textOfWord)
  if (!texts.every((text) => text !== null)) return null
  if (isCovered) return rule([...start, ...texts, '*'])
  // As the last word of a rule it matches any arguments.
  if (args.at(-1)?.kind === 'glob' && texts.at(-1) === '*') return null
  if (readsWhatToRun(words)) return null
  return rule([...start, ...texts])
}

/**
 * Reports whether a rule is what it looks like where rules are shown and changed, each on a line. A line break would make
 * two rules of it, the second of which may allow anything.
 */
export const isReadableRule = (rule: string): boolean =>
  !/[\n\t]/.test(rule) && hiddenCharacterIn(rule) === null

/**
 * Reports whether a program may run what it gets as input, which a rule does not say: it would cover every input. It may
 * be started by another, as in `docker exec -i web sh -s` or `.venv/bin/python manage.py shell`.
 */
function readsWhatToRun(words: readonly ShellWord[]): boolean {
  const texts = words.map((word) => (word.kind === 'literal' ? word.value : null))
  const [program = ''] = texts.map((text) => basename(text ?? ''))
  // Its arguments are messages and branches.
  if (program === 'git')
    return patches.test(texts[1] ?? '') && texts.slice(2).every((text) => text?.startsWith('-'))
  return texts.some((text, at) => {
    const next = texts[at + 1] ?? null
    const name = basename(text ?? '')
    // The folder, not the shell's `.`.
    if (at > 0 && name === '.') return false
    // `node --version` runs nothing else.
    if (next === '--version' && at + 2 === texts.length) return false
    if (isInterpreter(name) && (next === null || next.startsWith('-'))) return true
    if (at === 0) return runsInput.test(name)
    return (
      (name.length > 2 && runsInput.test(name)) || consoles.test(name) || input.test(text ?? '')
    )
  })
}

const runsInput =
  /^(?:ssh|sftp|psql|mysql|mariadb|sqlite3?|duckdb|cqlsh|sqlcmd|sqlplus|clickhouse-client|mongo|mongosh|redis-cli|gdb|lldb|ed|ex|n?vim?|emacs|at|batch|crontab|parallel|irb|pry|ghci|R|Rscript|julia|lua|tclsh|expect|screen|tmux|m4|dc|gnuplot|octave|jshell|iex|erl|busybox|patch)$/
/** Those of a project: `rails console`, `python manage.py shell`. */
const consoles = /^(?:shell|shell_plus|dbshell|db:console|console|dbconsole|tinker|psysh|repl)$/
const input = /^(?:-|\/dev\/(?:stdin|fd\/.*)|\/proc\/.*)$/
const patches = /^(?:apply|am|fast-import)$/

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
