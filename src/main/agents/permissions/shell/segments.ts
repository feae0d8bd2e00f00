/**
 * Finds the segments of a shell command: every program that it would run and every file that it would write, in lists,
 * pipes, substitutions, loops and here-documents. The grammar is that of `unbash`. Parts whose effect is not certain from
 * the text are reported as unclear, and a command with them is never allowed by rules (P3).
 */
import {
  type AndOr,
  type Assignment,
  type CommandNode,
  type CompoundList,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type Statement,
  type TestExpression,
  type Word,
} from 'unbash'
import { hiddenCharacterIn } from '../../../../shared/text/shown-text.ts'
import { isPlain } from './posix-syntax.ts'
import {
  literal,
  readWord,
  type ShellWord,
  scanPart,
  scanQuoted,
  type WordFindings,
} from './words.ts'

export interface ShellAssignment {
  name: string
  /** Null if uncertain before it runs. */
  value: string | null
}

export type Segment =
  | {
      kind: 'command'
      /** The program and its arguments; empty for assignments alone. */
      words: ShellWord[]
      assignments: ShellAssignment[]
    }
  /** A redirection. `path` as written. */
  | { kind: 'write' | 'read'; path: ShellWord }
  /** What the shell itself looks up: a file of a test, a pattern of a loop or of a variable. */
  | { kind: 'look'; path: ShellWord }

export interface ShellReading {
  /** In the order of the text. */
  segments: Segment[]
  /** Why the effect of the command is uncertain, a sentence each without its full stop; empty if it is certain. */
  unclear: string[]
  /** See `isPlain` of posix-syntax.ts. */
  isPlain: boolean
  /** It has a redirection alone, for which zsh runs a program: of `< a`, one that reads the keyboard. */
  redirectsAlone?: boolean
}

/** Maximum nesting of `sh -c` and `eval`. Deeper ones are not legitimate. */
const depthMax = 5

/** Parses a command like bash. Never throws. */
export function readShellCommand(command: string): ShellReading {
  const reading: ShellReading = { segments: [], unclear: [], isPlain: isPlain(command) }
  const unclear = (reason: string) => {
    if (!reading.unclear.includes(reason)) reading.unclear.push(reason)
  }
  const hidden = hiddenCharacterIn(command)
  if (hidden !== null) unclear(`It contains a character that can’t be seen (${hidden})`)
  try {
    readScript(parse(command), { reading, unclear, depth: 0 })
  } catch (error) {
    unclear(`It can’t be parsed (${(error as Error).message})`)
  }
  return reading
}

interface Reader {
  reading: ShellReading
  unclear: (reason: string) => void
  depth: number
}

function readScript(script: ParsedScript, reader: Reader): void {
  if (reader.depth > depthMax) return reader.unclear('Its commands are nested too deeply')
  const [error] = script.errors ?? []
  if (error) reader.unclear(`It has a syntax error (${error.message})`)
  for (const statement of script.commands) readStatement(statement, reader)
}

const readList = (list: CompoundList, reader: Reader): void => {
  for (const statement of list.commands) readStatement(statement, reader)
}

const readStatement = ({ command }: Statement, reader: Reader): void => readNode(command, reader)

function readNode(node: CommandNode | Pipeline | AndOr, reader: Reader): void {
  const list = (one: CompoundList) => readList(one, reader)
  const words = (all: readonly Word[] | undefined) => {
    for (const one of all ?? []) wordOf(one, reader)
  }
  switch (node.type) {
    case 'Pipeline':
    case 'AndOr':
      for (const one of node.commands) readNode(one, reader)
      return
    case 'Command':
      return readCommand(node, reader)
    case 'Redirected':
      readNode(node.command, reader)
      for (const one of node.redirects) readRedirection(one, reader)
      return
    case 'Subshell':
    case 'BraceGroup':
      return list(node.body)
    case 'If':
      list(node.clause)
      list(node.then)
      for (const one of node.elif) {
        list(one.clause)
        list(one.then)
      }
      if (node.else) list(node.else)
      return
    case 'While':
      list(node.clause)
      return list(node.body)
    case 'For':
    case 'Select':
      readVariable({ name: node.name.value, value: null }, reader)
      for (const one of node.wordlist ?? []) readPattern(wordOf(one, reader), reader)
      return list(node.body)
    case 'Case':
      wordOf(node.word, reader)
      for (const item of node.items) {
        words(item.pattern)
        list(item.body)
      }
      return
    case 'TestCommand':
      return readTest(node.expression, reader)
    case 'Function':
      // A function may have the name of a program that a rule allows.
      return reader.unclear('It defines a function')
    case 'Coproc':
      return reader.unclear('It starts a coprocess')
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
      return reader.unclear('It does arithmetic with variables')
    default:
      node satisfies never
      return reader.unclear('It uses a construct that Shiplog does not know')
  }
}

function readCommand(
  { name, prefix, suffix }: Extract<CommandNode, { type: 'Command' }>,
  reader: Reader,
): void {
  const assignments: ShellAssignment[] = []
  const words: ShellWord[] = name ? [wordOf(name, reader)] : []
  for (const one of prefix) {
    if (one.type !== 'Assignment') readRedirection(one, reader)
    else {
      assignments.push(readAssignment(one, reader))
      // That of a program is the program's.
      if (!name && one.value.type === 'Word') readPattern(readWord(one.value, nothing), reader)
    }
  }
  for (const one of suffix) {
    if (one.type === 'Word') words.push(wordOf(one, reader))
    else if (one.type === 'Assignment') words.push(assignedWord(one, reader))
    else readRedirection(one, reader)
  }
  if (words[0] && words[0].kind !== 'literal')
    reader.unclear('Which program it starts is only known when it runs')
  if (words.length === 0 && assignments.length === 0) reader.reading.redirectsAlone = true
  else reader.reading.segments.push({ kind: 'command', words, assignments })
}

/** `A=1` after `export` or `env` is an argument. */
function assignedWord(assignment: Assignment, reader: Reader): ShellWord {
  const { name, value } = readAssignment(assignment, reader)
  if (assignment.append || value === null) return { kind: 'dynamic', text: assignment.text }
  return literal(`${name}=${value}`)
}

function readAssignment(
  { name, value, append, index }: Assignment,
  reader: Reader,
): ShellAssignment {
  if (index) reader.unclear('It uses an array element, whose index the shell evaluates')
  if (value.type === 'ArrayValue') {
    reader.unclear('It uses an array')
    return { name, value: null }
  }
  const word = wordOf(value, reader)
  const isCertain = word.kind === 'literal' && !word.hasHome && !append
  return { name, value: isCertain ? word.value : null }
}

/** A pattern is replaced by names of files, in a variable where it is used: `x='/etc/*'; echo $x`. */
function readPattern(word: ShellWord, { reading }: Reader): void {
  if (word.kind === 'dynamic' ? word.isPattern : /[*?[]/.test(word.value))
    reading.segments.push({ kind: 'look', path: word })
}

function readVariable(assignment: ShellAssignment, { reading }: Reader): void {
  reading.segments.push({ kind: 'command', words: [], assignments: [assignment] })
}

/** By way of `/dev/stdout` it could be written: Linux opens the file of a descriptor again, for whatever is asked. */
const inputElsewhere = 'It opens a file to read on a descriptor other than its input'

function readRedirection(redirection: Redirection, reader: Reader): void {
  if (redirection.descriptor?.type === 'FileDescriptorVariable')
    reader.unclear('It keeps a descriptor in a variable')
  if (redirection.type === 'HereDoc') {
    if (redirection.closing === undefined) reader.unclear('It has a here-document without an end')
    const { parts = [] } = redirection.body
    scanQuoted(parts, findingsFor(reader))
    for (const part of parts) scanPart(part, findingsFor(reader))
    return
  }
  const { target } = redirection
  if (!target) return reader.unclear('It has a redirection without a target')
  const path = wordOf(target, reader)
  if (redirection.type === 'HereString') return
  const { operator, descriptor } = redirection
  // After `>&-`, Bash begins a word: `>&-touch ls` runs `touch ls`.
  if (operator.endsWith('&') && [target.text, target.value].some((text) => /^-./s.test(text)))
    reader.unclear('It joins a word to a closed descriptor')
  // `2>&1`, `>&-`
  if (operator.endsWith('&') && path.kind === 'literal' && /^(\d+|-|\d+-)$/.test(path.value)) {
    if (Number.parseInt(path.value, 10) === 0) reader.unclear(inputElsewhere)
    return
  }
  if (operator === '<&')
    return reader.unclear('It uses a descriptor that is only known when it runs')
  const isInput = descriptor?.type !== 'FileDescriptor' || descriptor.value === 0
  if (operator === '<' && !isInput) reader.unclear(inputElsewhere)
  reader.reading.segments.push({ kind: operator === '<' ? 'read' : 'write', path })
}

function readOperand(operator: string, word: ShellWord, { reading }: Reader): void {
  const isFile = !['-n', '-z', '-o', '-t', '-v', '-R'].includes(operator)
  if (isFile && word.kind === 'literal') reading.segments.push({ kind: 'look', path: word })
}

const fileTests = new Set(['-nt', '-ot', '-ef'])
const numberTests = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])

function readTest(test: TestExpression, reader: Reader): void {
  switch (test.type) {
    case 'TestUnary':
      if (test.operator === '-v' || test.operator === '-R')
        reader.unclear('It tests a variable, whose index the shell evaluates')
      readOperand(test.operator, wordOf(test.operand, reader), reader)
      return
    case 'TestBinary':
      for (const side of [test.left, test.right]) {
        const word = wordOf(side, reader)
        if (fileTests.has(test.operator)) readOperand(test.operator, word, reader)
        const isNumber = word.kind === 'literal' && /^-?\d+$/.test(word.value)
        if (numberTests.has(test.operator) && !isNumber)
          reader.unclear('It does arithmetic with variables')
      }
      return
    case 'TestLogical':
      for (const operand of test.operands) readTest(operand, reader)
      return
    case 'TestNot':
      return readTest(test.operand, reader)
    case 'TestGroup':
      return readTest(test.expression, reader)
    default:
      test satisfies never
      reader.unclear('It uses a test that Shiplog does not know')
  }
}

const wordOf = (word: Word, reader: Reader): ShellWord => readWord(word, findingsFor(reader))

/** For a word whose scripts are found already. */
const nothing: WordFindings = { script: () => undefined, unclear: () => undefined }

const findingsFor = (reader: Reader): WordFindings => ({
  unclear: reader.unclear,
  script: (script) => readScript(script, { ...reader, depth: reader.depth + 1 }),
})
