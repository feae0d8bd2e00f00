/**
 * Finds the checks in a command that an agent ran, and whether each passed: by its exit code, else
 * by what it printed. Pure.
 */
import { type CommandNode, type Pipeline, parse, type Statement } from 'unbash'
import type { CheckKind } from '../../shared/contract/changes/checks.ts'
import { printedOutcome, printsTests } from './printed.ts'
import { kindOfProgram, kindOfScriptName, scriptOf, withoutStarters } from './programs.ts'

/** The scripts of `package.json`, by name. */
export type Scripts = ReadonlyMap<string, string>

interface RanCommand {
  command: string
  /** Null: a signal ended it, or it runs in the background. */
  exitCode: number | null
  output: string
}

export interface FoundCheck {
  kind: CheckKind
  /** All kinds that the command checks: a script `test` may lint as well. */
  covers: CheckKind[]
  /** The text of this command alone, without the commands around it. */
  command: string
  /** `unclear`: neither the exit code nor the output shows it. */
  outcome: 'passed' | 'failed' | 'unclear'
}

/** Longer commands are programs of their own. */
const commandCharsMax = 20_000
/** How deeply scripts may run other scripts. */
const scriptDepthMax = 4

export function checksIn(
  { command, exitCode, output }: RanCommand,
  scripts: Scripts,
): FoundCheck[] {
  const found = simpleCommands(command).flatMap(({ text, words, decides }) => {
    const covers = kindsOf(words, scripts, 0)
    const [kind] = covers
    return kind === undefined ? [] : [{ kind, covers, command: text, decides }]
  })
  const printed = found.length === 1 ? printedOutcome(output) : null
  if (found.length === 0) return byItsOutput({ command, exitCode, output })
  return found.map(({ decides, ...check }) => ({
    ...check,
    outcome: outcomeOf(decides, exitCode) ?? printed ?? 'unclear',
  }))
}

/** The kinds of checks of a command: none, or those of its script, the one in its name first. */
function kindsOf(words: readonly string[], scripts: Scripts, depth: number): CheckKind[] {
  const program = withoutStarters(words)
  const script = scriptOf(program)
  if (script !== null && scripts.has(script)) return kindsOfScript(script, scripts, depth)
  const kind = kindOfProgram(program)
  if (kind) return [kind]
  // The package is unknown, so only its name counts.
  const name = script === null ? null : kindOfScriptName(script)
  if (name) return [name]
  return depth === 0 ? kindsOfScriptText(program, scripts) : []
}

/**
 * Treats `node test.js` as the script whose text it is: agents often run the text of a script
 * instead of the script.
 */
function kindsOfScriptText(words: readonly string[], scripts: Scripts): CheckKind[] {
  for (const [script, text] of scripts) {
    const [only, ...others] = simpleCommands(text)
    if (!only || others.length > 0) continue
    const own = withoutStarters(only.words)
    // Its own arguments may follow, such as the name of a test.
    if (own.length < 2 || !own.every((word, at) => word === words[at])) continue
    const kinds = kindsOfScript(script, scripts)
    if (kinds.length > 0) return kinds
  }
  return []
}

export function kindsOfScript(script: string, scripts: Scripts, depth = 0): CheckKind[] {
  const text = scripts.get(script) ?? ''
  if (depth > scriptDepthMax || /no test specified/.test(text)) return []
  const inside = simpleCommands(text).flatMap(({ words }) => kindsOf(words, scripts, depth + 1))
  const named = kindOfScriptName(script)
  return [...new Set([...(named ? [named] : []), ...inside])]
}

/** Detects a script of the project's own by its output, which is that of a test runner. */
function byItsOutput({ command, exitCode, output }: RanCommand): FoundCheck[] {
  const commands = simpleCommands(command)
  const own = commands.filter(({ words }) => isOwnScript(words))
  const [only] = own
  if (own.length !== 1 || !only || !printsTests(output)) return []
  const outcome = outcomeOf(only.decides, exitCode) ?? printedOutcome(output) ?? 'unclear'
  return [{ kind: 'tests', covers: ['tests'], command: only.text, outcome }]
}

const isOwnScript = ([name = '', first = '']: readonly string[]): boolean =>
  /^\.{0,2}\/|[^/]\//.test(name) ||
  (/^(?:ba|z|da)?sh$|^(?:node|python3?|ruby|php|perl)$/.test(name) && first !== '')

/** Whether the exit code of the whole command line shows the outcome of one command in it. */
interface Decides {
  /** Exit code 0 means that the command passed. */
  passed: boolean
  /** Any other exit code means that the command failed. */
  failed: boolean
}

const outcomeOf = (decides: Decides, exitCode: number | null): 'passed' | 'failed' | null =>
  exitCode === 0
    ? decides.passed
      ? 'passed'
      : null
    : exitCode !== null && decides.failed
      ? 'failed'
      : null

interface SimpleCommand {
  text: string
  words: string[]
  decides: Decides
}

/** Returns the programs of a command in order, as far as its text can be parsed. */
function simpleCommands(source: string): SimpleCommand[] {
  if (source.length > commandCharsMax) return []
  try {
    const { commands } = parse(source)
    return ofList(commands, source, { passed: true, failed: true })
  } catch {
    return []
  }
}

const never: Decides = { passed: false, failed: false }

function ofList(list: readonly Statement[], source: string, decides: Decides): SimpleCommand[] {
  return list.flatMap(({ command, background }, index) => {
    const isLast = index === list.length - 1
    const own = isLast && background !== true ? decides : never
    if (command.type !== 'AndOr') return ofNode(command, source, own)
    const { commands, operators } = command
    // With `||`, the exit code of the chain is not that of any one part.
    const isChain = operators.every((operator) => operator === '&&')
    return commands.flatMap((one, at) => {
      const before = commands.slice(0, at).every(isPreparation)
      const isEnd = at === commands.length - 1
      return ofNode(one, source, {
        passed: own.passed && isChain,
        failed: own.failed && isChain && isEnd && before,
      })
    })
  })
}

function ofNode(node: CommandNode | Pipeline, source: string, decides: Decides): SimpleCommand[] {
  switch (node.type) {
    case 'Command': {
      const words = [node.name, ...node.args]
        .filter((word) => word !== undefined)
        .flatMap((word) => (word.type === 'Word' ? [word.value] : []))
      return words.length === 0
        ? []
        : [{ text: source.slice(node.pos, node.end).trim(), words, decides }]
    }
    case 'Pipeline': {
      const isNegated = node.prefixes.some(({ type }) => type === 'Negation')
      return node.commands.flatMap((one, at) =>
        ofNode(one, source, isNegated || at < node.commands.length - 1 ? never : decides),
      )
    }
    case 'Redirected':
      return ofNode(node.command, source, decides)
    case 'Subshell':
    case 'BraceGroup':
      return ofList(node.body.commands, source, decides)
    case 'If':
      return [node.clause, node.then, ...(node.else ? [node.else] : [])].flatMap((list) =>
        ofList(list.commands, source, never),
      )
    default:
      return []
  }
}

/** Reports whether the command only prepares a check and does not fail, so that the exit code is the check's. */
function isPreparation(node: CommandNode | Pipeline): boolean {
  return node.type === 'Command' && (node.name === undefined || preparations.has(node.name.value))
}
const preparations = new Set([
  'cd',
  'pushd',
  'export',
  'set',
  'source',
  '.',
  'echo',
  'unset',
  'true',
])
