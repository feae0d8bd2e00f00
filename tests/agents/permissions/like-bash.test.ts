// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of shell commands
/**
 * The reading of commands against Bash itself: whatever Bash runs of a command that is read as clear is among its
 * segments. Programs are not found, and Bash tells which ones it looked for, with their arguments.
 */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import {
  readShellCommand,
  type Segment,
} from '../../../src/main/agents/permissions/shell/segments.ts'
import { temporaryDir } from '../../harness.ts'
import fc from '../../random.ts'
import { commandTable } from './commands.ts'

type Run = Extract<Segment, { kind: 'command' }>

/** Each command in a shell of its own, and what it looked for: the arguments, and after each command a mark. */
const script = `
PATH=/nowhere
exec 9>&1 1>/dev/null 2>/dev/null 0</dev/null
command_not_found_handle() { printf '%s\\0' "$#" "$@" >&9; return 0; }
for one; do
  ( eval "$one"; wait )
  printf '%s\\0' -1 >&9
done
`

/** Builtins that run what they are given (`wrapped-commands.ts` looks into them, or no rule allows them), and loops. */
const running =
  /\b(eval|builtin|command|exec|trap|source|coproc|alias|while|until)\b|^\. | -v |[<>]\(/

function ranByBash(commands: string[], cwd: string): string[][][] {
  const printed = execFileSync('bash', ['-c', script, 'bash', ...commands], {
    cwd,
    encoding: 'utf8',
    env: {},
    timeout: 150_000,
  })
  const ran: string[][][] = [[]]
  const fields = printed.split('\0').slice(0, -1)
  for (let at = 0; at < fields.length; ) {
    const count = Number(fields[at])
    if (count < 0) ran.push([])
    else ran.at(-1)?.push(fields.slice(at + 1, at + 1 + count))
    at += 1 + Math.max(0, count)
  }
  return ran.slice(0, -1)
}

/** A word that only the shell knows may be any number of words. */
function covers({ words }: Run, argv: string[]): boolean {
  const unknown = words.findIndex(({ kind }) => kind !== 'literal')
  if (unknown < 0 && argv.length !== words.length) return false
  return words
    .slice(0, unknown < 0 ? words.length : unknown)
    .every((word, at) => word.kind === 'literal' && word.value === argv[at])
}

const pieces = [
  'npm',
  'rm',
  'x',
  'test',
  ' ',
  ' ',
  ' ',
  '\t',
  '\n',
  ';',
  '&&',
  '||',
  '|',
  '&',
  '(',
  ')',
  '{ ',
  '; }',
  '<',
  '>',
  '>>',
  '<<EOF\n',
  '\nEOF\n',
  "'",
  '"',
  '\\',
  '\\\n',
  '$(',
  ')',
  '`',
  '#',
  ' #',
  '*',
  '=',
  "$'",
  '\\x72',
  '\\162',
  '${x}',
  '$x',
  'a=',
  '-',
  '!',
  '{a,b}',
  '<<<',
  'if ',
  '; then ',
  '; fi',
  'for x in ',
  '; do ',
  '; done',
  'case x in ',
  ' x) ',
  ';;',
  ' esac',
  '2>&1',
  '>&-',
  '&>',
  '|&',
  '[[ x ]]',
  'x[ ',
  ' ]',
  ';&',
  '$"',
  '<<-\\EOF\n',
  "<<'EOF'\n",
  '\u00a0',
]

it('[P3] whatever Bash runs of a clear command is among its segments', async () => {
  const made = fc.sample(
    fc
      .array(fc.constantFrom(...pieces), { minLength: 2, maxLength: 14 })
      .map((all) => all.join('')),
    { numRuns: 5_000, seed: 20_261_122 },
  )
  const known = commandTable.map(([command]) => command).filter((one) => !/[/~\0]/.test(one))
  const clear = [...new Set([...made, ...known])].flatMap((command) => {
    const { segments, unclear } = readShellCommand(command)
    const isRead = unclear.length === 0 && !running.test(command)
    return isRead ? [{ command, runs: segments.filter((one) => one.kind === 'command') }] : []
  })
  expect(clear.length).toBeGreaterThan(400)
  const ran = ranByBash(
    clear.map(({ command }) => command),
    await temporaryDir(),
  )
  expect(ran).toHaveLength(clear.length)
  expect(ran.flat().length).toBeGreaterThan(300)
  const unforeseen = clear.flatMap(({ command, runs }, at) =>
    (ran[at] ?? [])
      .filter((argv) => !runs.some((run) => covers(run, argv)))
      .map((argv) => ({ command, argv })),
  )
  expect(unforeseen).toEqual([])
})
