import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  captureOutput,
  wholeOutputBytesMax,
} from '../../../src/main/agents/tools/shell/captured-output.ts'
import { outputBytesMax } from '../../../src/main/agents/tools/shell/shell-command.ts'
import { shellEnvBytesMax } from '../../../src/main/agents/tools/shell/shell-state.ts'
import { createCustody } from '../../../src/main/processes/custody.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { detailOf, openToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await openToolBench()
})
afterEach(() => bench.close())

const bash = (command: string, timeoutMs?: number) => bench.call('bash', { command, timeoutMs })

describe('bash', () => {
  it('returns standard output and error in their order, and the exit code', async () => {
    const result = await bash('echo one; echo two >&2; echo three; exit 3')
    expect(result.output).toBe('one\ntwo\nthree\n[exit code 3]')
    expect(result.outcome).toBe('error')
    expect(detailOf(result, 'bash')).toEqual({
      kind: 'bash',
      exitCode: 3,
      timedOut: false,
      omittedBytes: 0,
    })
  })

  it('returns terminal sequences unchanged, so that two halves of a secret are not joined', async () => {
    const { output } = await bash('printf "\\033[31mred\\033[0m hun\\033[1mter2\\n"')
    expect(output).toBe('\u001B[31mred\u001B[0m hun\u001B[1mter2')
  })

  it('returns only the output of a successful command', async () => {
    expect(await bash('echo "a  b"')).toMatchObject({ outcome: 'ok', output: 'a  b' })
    expect(await bash('true')).toMatchObject({ outcome: 'ok', output: '' })
  })

  it('numbers lines in error messages from the first line of the command', async () => {
    expect((await bash('true\nno-such-command-here')).output).toContain('line 2:')
  })

  it('gives the command an empty standard input', async () => {
    expect(await bash('cat')).toMatchObject({ outcome: 'ok', output: '' })
  })

  it('starts no editor for Git, which would take the input of the command for its own', async () => {
    vi.stubEnv('EDITOR', 'touch edited; sh')
    await bash('git init -q; touch a; git add a; git config user.name a; git config user.email a')
    const result = await bash('echo "touch pwned" | git commit')
    expect(result.output).toContain('empty commit message')
    expect(await readdir(bench.dir)).not.toContain('edited')
    vi.unstubAllEnvs()
  })

  it('refuses a command that is too long for the system, with advice', async () => {
    const result = await bash(`echo ${'x'.repeat(130_000)}`)
    expect(result).toMatchObject({ outcome: 'error' })
    expect(result.output).toContain('write_file')
  })

  it('does not inherit the variables that bind Git to a repository', async () => {
    vi.stubEnv('GIT_DIR', '/somewhere/else')
    expect((await bash('echo "[$GIT_DIR]"')).output).toBe('[]')
    vi.unstubAllEnvs()
  })
})

it.runIf(process.platform !== 'win32')('uses sh if there is no bash', async () => {
  await symlink('/bin/sh', join(bench.outside, 'sh'))
  vi.stubEnv('PATH', bench.outside)
  // A module of its own, for it remembers the shell that it found.
  vi.resetModules()
  const { runShellCommand } = await import('../../../src/main/agents/tools/shell/shell-command.ts')
  const command = 'echo out; echo err >&2; export A="1 2"; cd /; exit 3'
  const { signal } = new AbortController()
  const custody = createCustody(bench.running)
  const run = {
    command,
    state: bench.shell,
    timeoutMs: 5000,
    signal,
    taskId: newTaskId(),
    custody,
    environment: bench.environment(),
    mask: bench.secrets,
    keepOutput: bench.keepOutput,
    onOutput: () => undefined,
  }
  const outcome = await runShellCommand(run)
  vi.unstubAllEnvs()
  expect(outcome).toMatchObject({ text: 'out\nerr\n', exitCode: 3, endedBy: 'itself' })
  expect(outcome.state.cwd).toBe('/')
  expect(outcome.state.env.A).toBe('1 2')
})

it('[K3] streams the output of a running command, with secrets masked even if split', async () => {
  bench.secrets.learn([{ name: 'API_KEY', value: 'q1W2e3R4t5-y6U7' }])
  const go = join(bench.dir, 'go')
  const ended = bash(
    `printf 'begun\nq1W2e3'; printf 'R4t5-y6U7\n'; until [ -e '${go}' ]; do sleep 0.01; done; echo over`,
  )
  await vi.waitFor(() => expect(bench.printed.join('')).toContain('[hidden: API_KEY]'), 10_000)
  expect(bench.printed.join('')).toBe('begun\n[hidden: API_KEY]\n')
  await writeFile(go, '')
  expect((await ended).output).toBe('begun\n[hidden: API_KEY]\nover')
})

describe('the shell state between calls', () => {
  it('keeps the directory and exported variables', async () => {
    await bash(
      'mkdir -p "sub dir" && cd "sub dir" && export GREETING="hello\nworld" && local_one=1',
    )
    expect(bench.shell.cwd).toBe(join(bench.dir, 'sub dir'))
    expect((await bash('pwd; echo "$GREETING"; echo "[$local_one]"')).output).toBe(
      `${join(bench.dir, 'sub dir')}\nhello\nworld\n[]`,
    )
  })

  it('keeps only what differs from the environment of the process', async () => {
    await bash('export MINE=1')
    expect(bench.shell.env).toEqual({ MINE: '1' })
  })

  it('does not keep what changes how a shell reads later commands', async () => {
    await bash('export MINE=1 CDPATH=/ GLOBIGNORE=a POSIXLY_CORRECT=1; export SHELLOPTS')
    expect(bench.shell.env).toEqual({ MINE: '1' })
  })

  it('forgets a variable that was unset again', async () => {
    await bash('export MINE=1')
    await bash('unset MINE')
    expect(bench.shell.env).toEqual({})
  })

  it('reports the state of a command that exits, fails or has a trap of its own', async () => {
    await bash('export A=1; cd /; exit 4')
    expect(bench.shell).toEqual({ cwd: '/', env: { A: '1' } })
    await bash('set -e; export B=2; false; export C=3')
    expect(bench.shell.env).toEqual({ A: '1', B: '2' })
    const trapped = await bash("trap 'echo bye' EXIT; export D=4")
    expect(trapped.output).toBe('bye')
    expect(bench.shell.env).toEqual({ A: '1', B: '2', D: '4' })
  })

  it('keeps the state even if PATH was emptied', async () => {
    await bash('export PATH=/nowhere; cd /')
    expect(bench.shell).toEqual({ cwd: '/', env: { PATH: '/nowhere' } })
  })

  it('is unchanged if the command replaced the shell', async () => {
    await bash('export A=1; exec true')
    expect(bench.shell).toEqual({ cwd: bench.dir, env: {} })
  })

  it('drops variables that are too large, and says so', async () => {
    const result = await bash('export BIG=$(head -c 20000 /dev/zero | tr "\\0" x) SMALL=1')
    expect(bench.shell.env).toEqual({ SMALL: '1' })
    expect(result.output).toContain('BIG')
    await bash('for i in 1 2 3 4 5; do export "V$i=$(head -c 9000 /dev/zero | tr "\\0" x)"; done')
    const kept = Object.values(bench.shell.env).reduce((sum, value) => sum + value.length, 0)
    expect(kept).toBeGreaterThan(18_000)
    expect(kept).toBeLessThanOrEqual(shellEnvBytesMax)
  })

  it('starts in the working directory again when its directory is gone', async () => {
    await bash('mkdir gone && cd gone')
    await rm(join(bench.dir, 'gone'), { recursive: true })
    const result = await bash('echo never > ran')
    expect(result).toMatchObject({ outcome: 'error' })
    expect(result.output).toContain(join(bench.dir, 'gone'))
    expect(await readdir(bench.dir)).toEqual([])
    expect((await bash('pwd')).output).toBe(bench.dir)
  })

  it('reports that the working directory is gone', async () => {
    await rm(bench.dir, { recursive: true })
    expect((await bash('pwd')).output).toContain('does not exist any more')
  })

  it('leaves no folder behind', async () => {
    await bash('export A=1')
    expect(await readdir(bench.running)).toEqual([])
  })
})

describe('the output limit', () => {
  it('keeps the beginning and the end, and states how much was omitted', async () => {
    const result = await bash('echo first; seq 1 100000; echo last')
    const { omittedBytes } = detailOf(result, 'bash')
    expect(result.output.startsWith('first\n1\n2\n')).toBe(true)
    expect(result.output.endsWith('100000\nlast')).toBe(true)
    expect(result.output).toContain(`[${omittedBytes} bytes left out]`)
    expect(Number((await bash('seq 1 100000 | wc -c')).output) + 11 - omittedBytes).toBe(
      outputBytesMax,
    )
  })

  it('[J10] keeps the whole output in a file, byte for byte', async () => {
    const result = await bash('printf "\\033[1mbold\\033[0m\\n"; seq 1 700000; echo last >&2')
    const { whole, omittedBytes } = detailOf(result, 'bash')
    const [kept] = bench.kept
    const numbers = Array.from({ length: 700_000 }, (_, n) => n + 1).join('\n')
    expect(kept?.text === `\u001B[1mbold\u001B[0m\n${numbers}\nlast\n`).toBe(true)
    const sha256 = createHash('sha256')
      .update(kept?.text ?? '')
      .digest('hex')
    expect(whole).toEqual({ sha256, bytes: kept?.text.length, leftOutBytes: 0 })
    expect(omittedBytes).toBe((kept?.text.length ?? 0) - outputBytesMax)
    bench.kept = []
    expect(detailOf(await bash('seq 1 1000'), 'bash').whole).toBeUndefined()
    expect(bench.kept).toEqual([])
  })

  it('states how much more output there was than it keeps', async () => {
    const result = await bash('head -c 50000000 /dev/zero | tr "\\0" x')
    expect(detailOf(result, 'bash').whole).toMatchObject({
      bytes: wholeOutputBytesMax,
      leftOutBytes: 50_000_000 - wholeOutputBytesMax,
    })
  })

  it('makes the command wait for the disk instead of holding its output in memory', async () => {
    const sizes = { textBytesMax: outputBytesMax, wholeBytesMax: wholeOutputBytesMax }
    const output = captureOutput(join(bench.dir, 'output'), sizes)
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let waiting = 0
    const source = Readable.from(
      (function* () {
        for (let n = 0; n < 1_000; n++) {
          waiting = Math.max(waiting, output.stream.writableLength)
          yield chunk
        }
      })(),
    )
    source.pipe(output.stream)
    const { whole } = await output.finish()
    expect(whole).toMatchObject({ bytes: wholeOutputBytesMax })
    expect(waiting).toBeLessThan(5_000_000)
  })

  it('continues if the whole output cannot be kept', async () => {
    bench.keepOutput = async () => {
      throw new Error('the disk is full')
    }
    const result = await bash('seq 1 100000')
    expect(result.outcome).toBe('ok')
    expect(detailOf(result, 'bash').whole).toBeUndefined()
  })

  it('does not split a character', async () => {
    const result = await bash("printf 'é%.0s' $(seq 1 40000)")
    expect(result.output).not.toContain('\uFFFD')
    const shown = Buffer.byteLength(result.output.replaceAll(/[^é]/g, ''))
    expect(shown).toBeGreaterThan(outputBytesMax / 2)
    expect(shown + detailOf(result, 'bash').omittedBytes).toBe(80_000)
  })

  it('does not keep endless output', async () => {
    const result = await bash('yes', 500)
    expect(detailOf(result, 'bash')).toMatchObject({ timedOut: true, exitCode: null })
    expect(result.output.length).toBeLessThan(outputBytesMax + 300)
  })
})

/** A command whose grandchild writes its pid, ignores SIGTERM if told to, and would live for minutes. */
const withGrandchild = (ignoring = '') =>
  `bash -c '${ignoring} bash -c "${ignoring ? "trap \\'\\' TERM;" : ''} echo \\$\\$ > grandchild; while :; do sleep 0.1; done"; true'; true`

async function grandchildPid(): Promise<number> {
  return vi.waitFor(async () => {
    const pid = Number(await readFile(join(bench.dir, 'grandchild'), 'utf8'))
    expect(pid).toBeGreaterThan(0)
    return pid
  }, 30_000)
}

const isAlive = async (pid: number): Promise<boolean> => {
  // A killed process that nobody has reaped yet counts as gone.
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return state !== null && !/\) [ZX] /.test(state)
}

describe.runIf(process.platform === 'linux')('ending', () => {
  it('ends the whole process group at the time limit', async () => {
    const result = await bash(withGrandchild(), 400)
    expect(result.outcome).toBe('error')
    expect(result.output).toContain('time limit of 400 ms')
    expect(detailOf(result, 'bash').timedOut).toBe(true)
    expect(await isAlive(await grandchildPid())).toBe(false)
  })

  it('keeps the output before the time limit, and the previous state', async () => {
    const result = await bash('echo begun; cd /; sleep 60', 300)
    expect(result.output).toMatch(/^begun\n\[time limit/)
    expect(bench.shell.cwd).toBe(bench.dir)
  })

  it('ends the command on abort, and throws the reason', async () => {
    const running = bash(withGrandchild())
    const pid = await grandchildPid()
    const reason = new Error('interrupted by the user')
    bench.abort.abort(reason)
    await expect(running).rejects.toBe(reason)
    expect(await isAlive(pid)).toBe(false)
  })

  it('kills a command that ignores SIGTERM', async () => {
    await writeFile(
      join(bench.dir, 'stubborn.sh'),
      "trap '' TERM\necho $$ > grandchild\nwhile :; do sleep 0.1; done\n",
    )
    const running = bash('bash stubborn.sh; true')
    const pid = await grandchildPid()
    bench.abort.abort(new Error('stop'))
    await expect(running).rejects.toThrow('stop')
    expect(await isAlive(pid)).toBe(false)
  })

  it('does not wait for background processes, and ends them', async () => {
    // Longer than a test may take.
    const result = await bash('sleep 300 & echo $! > grandchild; echo started')
    expect(result.outcome).toBe('ok')
    expect(result.output).toMatch(/^started\n\[what the command left running/)
    expect(await isAlive(await grandchildPid())).toBe(false)
  })

  it('is not held up by a process that left the group', async () => {
    const result = await bash(
      "setsid sh -c 'echo $$ > grandchild; exec sleep 300' & until [ -s grandchild ]; do sleep 0.01; done; echo started",
    )
    expect(result.output).toContain('started')
    const pid = await grandchildPid()
    expect(await isAlive(pid)).toBe(true)
    process.kill(pid)
  })

  it('waits for a slow process that still forwards output', async () => {
    expect((await bash('echo through > >(sleep 0.5; cat)')).output).toBe('through')
  })

  it('runs nothing once the signal is aborted', async () => {
    bench.abort.abort(new Error('too late'))
    await expect(bash('touch ran')).rejects.toThrow('too late')
    expect(await readdir(bench.dir)).toEqual([])
  })

  it('runs nothing if it is aborted while it starts', async () => {
    const reason = new Error('stop')
    const running = bash('touch ran; sleep 300')
    bench.abort.abort(reason)
    await expect(running).rejects.toBe(reason)
    expect(await readdir(bench.dir)).toEqual([])
    expect(await readdir(bench.running)).toEqual([])
  })
})

it('runs commands in a directory with spaces and other letters', async () => {
  await mkdir(join(bench.dir, 'Ünï cödé'))
  await bash("cd 'Ünï cödé'")
  expect((await bash('basename "$PWD"')).output).toBe('Ünï cödé')
})
