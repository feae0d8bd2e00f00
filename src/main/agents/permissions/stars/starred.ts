/** What the star of a rule covers: options and texts that are on lists. */
import type { ShellWord } from '../shell/words.ts'
import { anyText, plainText, plainWord, type TextTest } from './plain-texts.ts'

export interface Starred {
  /** Long options, with their dashes. */
  names: ReadonlySet<string>
  /** Letters of short options. */
  letters: string
  /** Letters of those that may be joined with their value: `-Stext`. */
  joined: string
  /** Options whose value is the next word, where a word of its own would be more than a text. */
  withValue: readonly string[]
  /** Whether `-ab` is `-a -b`; to a package manager it may be the beginning of a long option. */
  joinsLetters: boolean
  operands: TextTest
  /** The values of options. */
  values: TextTest
  /** Whether a rule with the star is proposed. */
  isProposed: boolean
}

/** `options`: long options as they are, letters of short options after one dash. */
export function starred(
  options: string,
  values: TextTest = plainText,
  operands: TextTest = values,
): Starred {
  const words = options.split(/\s+/).filter(Boolean)
  const letters = words.filter((one) => /^-[A-Za-z\d]+$/.test(one)).map((one) => one.slice(1))
  const names = words.filter((one) => one.startsWith('--'))
  return {
    names: new Set(names),
    letters: letters.join(''),
    joined: '',
    withValue: [],
    joinsLetters: values !== plainWord,
    operands,
    values,
    isProposed: true,
  }
}

/** The same for a program that takes options with one dash or two. */
export function starredWithDash(options: string): Starred {
  const names = options.split(/\s+/).flatMap((one) => [`-${one}`, `--${one}`])
  return { ...starred(''), names: new Set(names) }
}

/**
 * Reports whether the star covers the argument. `isInside`: if it is a path, it is within the working directory.
 * `before`: the word before it.
 */
export function coversArgument(
  { names, letters, joined, withValue, joinsLetters, operands, values }: Starred,
  word: ShellWord,
  isInside: boolean | undefined,
  before: ShellWord | undefined,
): boolean {
  if (word.kind === 'dynamic' || !isInside) return false
  // The names that a pattern of the shell matches are only known when it runs.
  if (word.kind === 'glob' && operands !== anyText) return false
  const text = word.value
  if (before?.kind === 'literal' && withValue.includes(before.value))
    return !text.startsWith('-') && values(text)
  if (text === '--') return true
  if (!text.startsWith('-') || text === '-') return operands(text)
  if (joined.includes(text.charAt(1)) && text.length > 2) return values(text.slice(2))
  const [name = ''] = text.split('=', 1)
  if (name !== text && !values(text.slice(name.length + 1))) return false
  if (names.has(name)) return true
  const [, given, number] = /^-([A-Za-z]*)=?(\d*)%?$/.exec(text) ?? []
  if (given === undefined) return false
  if (given === '') return number !== '' && letters.includes('1')
  return (
    (joinsLetters || given.length === 1) && [...given].every((letter) => letters.includes(letter))
  )
}
