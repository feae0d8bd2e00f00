/** Reads the words of a shell command, and finds those that are certain before it runs. */
import { forEachChild, type ParsedScript, type SyntaxNode, type Word, type WordPart } from 'unbash'
import { named } from '../named.ts'

export type ShellWord =
  /** Exactly this text, without its quotes. `hasHome`: it holds a `~` that is not quoted and may stand for a directory. */
  | { kind: 'literal'; value: string; hasHome?: true }
  /** Stands for any number of file names that match. */
  | { kind: 'glob'; value: string }
  /** Uncertain before it runs: an expansion, a substitution. `isPattern`: with a pattern of files that is not quoted. */
  | { kind: 'dynamic'; text: string; isPattern?: true }

/** Receives the scripts inside a word, and reasons that make the command unclear. */
export interface WordFindings {
  script(script: ParsedScript): void
  unclear(reason: string): void
}

export const literal = (value: string): ShellWord => ({ kind: 'literal', value })

/** `find` receives every substitution within the word. */
export function readWord(word: Word, find: WordFindings): ShellWord {
  const parts = word.parts
  if (!parts) {
    if (hasSyntax(word.text)) find.unclear('It contains a word that can’t be parsed')
    return literalOf(word, [word.text])
  }
  for (const part of parts) scanPart(part, find)
  const unquoted = parts.map((part) => (part.type === 'Literal' ? part.text : ''))
  if (parts.every(isLiteral)) return literalOf(word, unquoted)
  // In `a=~/*` it is replaced as well.
  const isReplaced = unquoted.some((text) => /[=:]~/.test(text))
  if (!isReplaced && parts.every((part) => isLiteral(part) || part.type === 'Glob'))
    return { kind: 'glob', value: word.value }
  return { kind: 'dynamic', text: word.text, ...(parts.some(isPattern) && { isPattern: true }) }
}

function isPattern(part: WordPart): boolean {
  if (part.type === 'ParameterExpansion')
    return (
      ['Default', 'Replace'].includes(part.operation?.type ?? '') &&
      /[*?[]/.test(part.text.slice(2))
    )
  return ['Glob', 'BraceExpansion', 'ExtendedGlob'].includes(part.type)
}

/** The parser takes `a[ x ]$(program)` at the beginning of a command for plain text, but Bash runs the program. */
const hasSyntax = (unquoted: string): boolean =>
  /[\s`'";&|<>()]|\$[\w({'"[@*#?!$-]/.test(unquoted.replace(/\\./gs, ''))

/** Bash also replaces the `~` of an argument `a=~/b` or `a=b:~/c`. */
function literalOf({ value }: Word, unquoted: string[]): ShellWord {
  const hasHome = unquoted.some((text) => /(?:^|[=:])~/.test(text))
  return hasHome ? { kind: 'literal', value, hasHome } : literal(value)
}

function isLiteral(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true
    case 'DoubleQuoted':
      return part.parts.every((child) => child.type === 'Literal')
    default:
      return false
  }
}

/** Scans a node below a word. A part of a kind that is not listed makes the command unclear. */
export function scanPart(node: SyntaxNode, find: WordFindings): void {
  switch (node.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      // The parser joins the lines, but Bash does not.
      if (node.text.includes('\\\n')) find.unclear('It has a backslash at the end of a quoted line')
      break
    case 'SimpleExpansion':
    case 'Glob':
    case 'BraceExpansion':
    case 'ExtendedGlob':
      break
    case 'DoubleQuoted':
      scanQuoted(node.parts, find)
      break
    case 'ParameterExpansion':
      if (node.prefix === '!') find.unclear('It uses an indirect expansion')
      else if (node.index) find.unclear('It uses an array element, whose index the shell evaluates')
      else if (node.operation && !harmlessOperation(node.operation))
        find.unclear(`It uses the expansion ${named(node.text)}`)
      break
    case 'Default':
    case 'Remove':
    case 'Replace':
    case 'CaseModification':
    case 'Word':
      break
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      if (node.script) find.script(node.script)
      else find.unclear('It contains a substitution that can’t be parsed')
      return
    case 'ArithmeticExpansion':
      // Arithmetic evaluates the values of variables, with any substitutions in them.
      if (!/^\$\(\([\d\s+*/%()-]*\)\)$/.test(node.text))
        find.unclear('It does arithmetic with variables')
      break
    case 'ArithmeticBinary':
    case 'ArithmeticGroup':
    case 'ArithmeticUnary':
    case 'ArithmeticWord':
      break
    default:
      find.unclear(`It contains a word whose syntax Shiplog does not know (${node.type})`)
  }
  forEachChild(node, (child) => scanPart(child, find))
}

/**
 * Finds single quotes in expansions within double quotes or a here-document, which the parser takes for quotes. Bash runs
 * the substitution in a here-document's `${a:-'$(program)'}`, and the one that `"${a:-$'\x24(program)'}"` decodes to.
 */
export function scanQuoted(parts: readonly WordPart[], find: WordFindings): void {
  if (parts.some(({ type, text }) => type === 'ParameterExpansion' && /['"]/.test(text)))
    find.unclear('It has a quote within a quoted expansion')
}

function harmlessOperation({ type, ...rest }: { type: string; operator: string }): boolean {
  if (type === 'Default') return !rest.operator.endsWith('=')
  return type === 'Remove' || type === 'Replace' || type === 'CaseModification'
}
