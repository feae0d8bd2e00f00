/**
 * Texts that mean nothing to a program but themselves: names, numbers, phrases, paths. What is not on these lists may be
 * an address that is loaded, a variable, a file of arguments, or a pattern that a program expands to files elsewhere.
 */
export type TextTest = (text: string) => boolean

/** For commands that look into no text, such as those of Git. */
export const anyText: TextTest = () => true
export const noText: TextTest = () => false
export const wholeNumber: TextTest = (text) => /^\d+$/.test(text)
/** A name in a registry, rather than a repository, an address or a folder. */
export const packageName: TextTest = (text) => /^(?:@[\w.-]+\/)?\w[\w.-]*$/.test(text)

const letters = String.raw`[\p{L}\p{N}_.+*-]`
/** `::` and `:12` of tests. Some programs split a text at spaces or commas: no part leads elsewhere, or is an option. */
const between = String.raw`(?: (?=[\w(])|,(?=\w|\.\w+(?:,|$))|::|:(?=\d)|(?<![/,:|^])\/)`
const word = `(?:${letters}|${between})`
/** Words in parentheses or braces, alternatives and their ends, an apostrophe. */
const phrase = String.raw`(?:${word}|\(\w+(?:[ -]\w+)*\)(?!\/)|\{\w+(?:,\w+)*\}|\|(?=\w)|\$(?=\||$)|(?<=\p{L})'(?=\p{L}))`

/** What a program gets through a package manager, of which older ones leave it to a shell in part. */
export const plainWord = plain(new RegExp(`^(?!-)${word}+$`, 'u'))

/** What a program gets as it is. */
export const plainText = plain(new RegExp(String.raw`^(?!-)\^?${phrase}+$`, 'u'))

/**
 * Words that make a test runner do something else, wherever they stand: Mocha's `inspect` runs the code of its input,
 * Vitest's `init` installs packages.
 */
const otherCommand = /^(?:init|inspect|debug)$/
export const exceptCommands =
  (test: TextTest): TextTest =>
  (text) =>
    test(text) && !otherCommand.test(text)

/**
 * No pattern leads upwards, or to names that begin with a dot, of which one is `..`; nor does a part of what a program may
 * split, since it was looked at as one path.
 */
function plain(characters: RegExp): TextTest {
  return (text) => {
    if (!characters.test(text)) return false
    const steps = text.split('/')
    if (steps.includes('..') && /[ ,:]/.test(text)) return false
    const patterns = steps.filter((step) => /[*{(|]/.test(step))
    return (
      patterns.length === 0 ||
      !(steps.includes('..') || patterns.some((step) => step.startsWith('.')))
    )
  }
}
