/** Programs that run another command, which becomes a separate segment. */
import { basename } from 'node:path'
import { named } from '../named.ts'
import { isReadAlike, isReadAlikeByOldBash } from './posix-syntax.ts'
import { readShellCommand, type Segment, type ShellReading } from './segments.ts'
import type { ShellWord } from './words.ts'

type Wrapped =
  /** It runs no other command. */
  | { kind: 'none' }
  /** It runs a command that can't be determined. `reason`: a sentence without its full stop. */
  | { kind: 'opaque'; reason: string }
  /** `own` is the program's own effect, which must be allowed as well; null if it has none. */
  | { kind: 'runs'; reading: InnerReading; own: Words | null }

type Words = readonly ShellWord[]
type InnerReading = Omit<ShellReading, 'isPlain'>

const none: Wrapped = { kind: 'none' }
const shells = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh', 'fish'])
/** Shells whose scripts can be parsed. The parser has bash's grammar. */
const readableShells = new Set(['sh', 'bash', 'dash', 'ash'])
/** Returns the command that a program such as `env`, `xargs` or `sh -c` runs. */
export function wrappedIn(words: Words): Wrapped {
  const [name, ...args] = words
  if (name?.kind !== 'literal') return none
  const program = name.value.replace(/^\/(usr\/)?bin\//, '')
  if (shells.has(program)) return inShell(program, args)
  switch (program) {
    case 'eval':
      return inEval(args)
    case '.':
    case 'source':
      return isInput(args[0]) ? opaque(`${program} runs whatever it reads as input`) : none
    case 'command':
      return isOption(args[0]) ? none : runs(args)
    case 'nohup':
      return inNohup(args)
    case 'builtin':
    case 'exec':
    case 'setsid':
      return afterOptions(program, args, {})
    case 'nice':
      return afterOptions(program, args, { withValue: ['-n'] })
    case 'timeout':
      return afterOptions(program, args, { withValue: ['-s', '-k'], before: 1 })
    case 'stdbuf':
      return afterOptions(program, args, { withValue: ['-i', '-o', '-e'] })
    case 'xargs':
      return afterOptions(program, args, {
        flags: ['-0', '-r', '-t', '-x'],
        withValue: ['-n', '-L', '-P', '-d'],
        more: true,
      })
    case 'env':
      return inEnv(args)
    case 'find':
      return inFind(name, args)
    default:
      return none
  }
}

/** Options of sudo and similar programs whose value is the next word, alone or after options without a value. */
const sudoValue =
  /^(-[AbBEeHiKkLlnNPSsVv]*[ugpChDRTrtUac]|--(user|group|prompt|chdir|chroot|close-from|host|role|type|other-user|command-timeout|login-class|auth-type))$/

/**
 * Returns the command that `sudo`, `doas` or `su` runs. Rules that narrow apply to it; a rule that
 * allows it must name the wrapper.
 */
export function commandOfSudo([name, ...args]: Words): Wrapped {
  if (name?.kind !== 'literal') return none
  const program = basename(name.value)
  if (program === 'su' || program === 'runuser') return commandOfSu(program, args)
  if (!['sudo', 'doas', 'pkexec'].includes(program)) return none
  let at = 0
  for (; isOption(args[at]); at++) {
    if (literalOf(args[at]) === '--') {
      at++
      break
    }
    if (sudoValue.test(literalOf(args[at]))) at++
  }
  while (/^[A-Za-z_]\w*=/.test(literalOf(args[at]))) at++
  return runs(args.slice(at))
}

/** `su -c 'command'`. Any other form runs a shell, or a command that can't be determined. */
function commandOfSu(program: string, args: Words): Wrapped {
  for (const [at, word] of args.entries()) {
    const found = /^(?:-[a-zA-Z]*c|--(?:session-)?command(?:=(.*))?)$/s.exec(literalOf(word))
    if (!found) continue
    const script = found[1] ?? (args[at + 1]?.kind === 'literal' ? literalOf(args[at + 1]) : null)
    if (script === null) return opaque(unknownScript(program))
    return { kind: 'runs', reading: readShellCommand(script), own: null }
  }
  return opaque(`What ${program} runs can’t be told from the command`)
}

const isOption = (word: ShellWord | undefined): boolean =>
  word?.kind === 'literal' && word.value.startsWith('-')

const opaque = (reason: string): Wrapped => ({ kind: 'opaque', reason })

const unknownScript = (program: string): string =>
  `What ${program} runs is only known when the command runs`

function runs(words: Words, assignments: { name: string; value: string | null }[] = []): Wrapped {
  const [name] = words
  if (!name && assignments.length === 0) return none
  if (name && name.kind !== 'literal')
    return opaque('Which program it starts is only known when it runs')
  const segment: Segment = { kind: 'command', words: [...words], assignments }
  return { kind: 'runs', reading: { segments: [segment], unclear: [] }, own: null }
}

/** `-n 5`, `-n5` and `--adjustment=5` precede the command; an unknown option makes it opaque. */
function afterOptions(
  program: string,
  args: Words,
  options: { flags?: string[]; withValue?: string[]; before?: number; more?: boolean },
): Wrapped {
  const { flags = [], withValue = [], before = 0, more = false } = options
  let at = 0
  for (; isOption(args[at]); at++) {
    const value = literalOf(args[at])
    if (value === '--') {
      at++
      break
    }
    if (flags.includes(value)) continue
    if (withValue.includes(value)) at++
    else if (!withValue.some((one) => value.startsWith(one)))
      return opaque(`It uses an option of ${program} that Shiplog does not know (${named(value)})`)
  }
  const rest = args.slice(at + before)
  if (args.slice(0, at + before).some((word) => word.kind !== 'literal'))
    return opaque(`It gives ${program} options that are only known when it runs`)
  // Versions of BusyBox take the first word for the program: `timeout ./program true`.
  if (args.slice(at, at + before).some((word) => !duration.test(literalOf(word))))
    return opaque(`It gives ${program} something else than a duration`)
  return runs(more && rest.length > 0 ? [...rest, { kind: 'dynamic', text: '…' }] : rest)
}

const duration = /^\d+(?:\.\d+)?[smhd]?$/

const literalOf = (word: ShellWord | undefined): string =>
  word?.kind === 'literal' ? word.value : ''

function inEnv(args: Words): Wrapped {
  const assignments: { name: string; value: string | null }[] = []
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at]
    if (word?.kind !== 'literal')
      return opaque('It gives env a variable or program that is only known when it runs')
    const found = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(word.value)
    if (!found) break
    assignments.push({ name: found[1] ?? '', value: word.hasHome ? null : (found[2] ?? '') })
  }
  if (isOption(args[at]))
    return opaque(
      `It uses an option of env that Shiplog does not know (${named(literalOf(args[at]))})`,
    )
  if (literalOf(args[at]).includes('=')) return opaque('It sets a variable with an unusual name')
  // Without arguments it prints the environment.
  return at === args.length ? none : runs(args.slice(at), assignments)
}

function inShell(program: string, args: Words): Wrapped {
  const at = args.findIndex((word) => !isOption(word))
  const options = at < 0 ? args : args.slice(0, at)
  const texts = options.map(literalOf)
  if (!texts.some((text) => /^-[a-z]*c[a-z]*$/.test(text))) {
    // `sh script.sh` is a program with an argument; without arguments a shell runs its input.
    return at < 0 || isInput(args[at]) ? opaque(`${program} runs whatever it reads as input`) : none
  }
  const script = args[at]
  if (!readableShells.has(program))
    return opaque(`It runs a script in ${program}, which Shiplog can’t parse`)
  if (texts.some((text) => !/^-[ceux]+$/.test(text)))
    return opaque(`It uses an option of ${program} that Shiplog does not know`)
  if (script?.kind !== 'literal') return opaque(unknownScript(program))
  const reading = readShellCommand(script.value)
  if (!(program === 'bash' ? isReadAlikeByOldBash(script.value) : isReadAlike(script.value)))
    reading.unclear.push(`It runs a script that ${program} may read differently from bash`)
  return { kind: 'runs', reading, own: null }
}

/** `/dev/stdin` and the like. */
const isInput = (word: ShellWord | undefined): boolean =>
  /^\/(?:dev\/(?:stdin|fd\/)|proc\/)/.test(literalOf(word))

function inEval(args: Words): Wrapped {
  if (args.some((word) => word.kind !== 'literal'))
    return opaque('What eval runs is only known when the command runs')
  const reading = readShellCommand(args.map(literalOf).join(' '))
  // Which shell reads it is not certain, as in `sh -c "eval …"`.
  reading.unclear.push('It gives eval a text that is read twice')
  return { kind: 'runs', reading, own: null }
}

/** It writes `nohup.out` where its output is a terminal, as that of some installed agents' commands is. */
function inNohup(args: Words): Wrapped {
  const wrapped = afterOptions('nohup', args, {})
  if (wrapped.kind !== 'runs') return wrapped
  const output: Segment = { kind: 'write', path: { kind: 'literal', value: 'nohup.out' } }
  const segments = [...wrapped.reading.segments, output]
  return { ...wrapped, reading: { ...wrapped.reading, segments } }
}

function inFind(name: ShellWord, args: Words): Wrapped {
  const reading: InnerReading = { segments: [], unclear: [] }
  const own: ShellWord[] = [name]
  for (let at = 0; at < args.length; at++) {
    if (args[at]?.kind === 'dynamic')
      return opaque('It gives find arguments that are only known when it runs')
    const action = literalOf(args[at])
    if (!['-exec', '-execdir', '-ok', '-okdir'].includes(action)) {
      own.push(...args.slice(at, at + 1))
      continue
    }
    // That of a folder given by its path, such as the working directory itself, is the one above it.
    if (action.endsWith('dir'))
      reading.unclear.push('find runs it in the folder of each file that it finds')
    const end = endInFind(action, args, at + 1)
    const inner = args.slice(at + 1, end)
    if (inner[0]?.kind !== 'literal')
      return opaque('Which program find starts is only known when it runs')
    if (inner[0].value.includes('{}')) return opaque('find runs the files that it finds')
    if (inner.some((word, at) => mayEndInFind(literalOf(word), literalOf(inner[at - 1]))))
      reading.unclear.push('Not every find ends its command at the same word')
    // An expansion may be `; -exec program`, and a file that a pattern matches may be named `;`: the command ends there.
    if (inner.some((word) => word.kind !== 'literal'))
      reading.unclear.push('Where the command of find ends is only known when it runs')
    const words = inner.map(
      (word): ShellWord =>
        literalOf(word).includes('{}') ? { kind: 'dynamic', text: literalOf(word) } : word,
    )
    reading.segments.push({ kind: 'command', words, assignments: [] })
    at = end
  }
  return reading.segments.length === 0 ? none : { kind: 'runs', reading, own }
}

/** That of macOS ends it at any word that begins with `;`, and after `{}` at one with `+`: `-exec echo ';x' -delete`. */
const mayEndInFind = (text: string, before: string): boolean =>
  text.startsWith(';') || text === '+' || (text.startsWith('+') && before === '{}')

/** Returns where the command of an action ends. A `+` ends it only after `{}`, and never one that asks; else it is an argument. */
function endInFind(action: string, args: Words, from: number): number {
  const end = args.findIndex((word, at) => {
    if (at < from) return false
    if (literalOf(word) === ';') return true
    return literalOf(word) === '+' && literalOf(args[at - 1]) === '{}' && action.startsWith('-exec')
  })
  return end < 0 ? args.length : end
}
