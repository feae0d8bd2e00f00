import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startLauncher } from '../../src/main/processes/launcher/launcher.ts'
import { type ProgramStart, startHere } from '../../src/main/processes/launcher/program.ts'

const env = { PATH: process.env.PATH }

async function openLauncher() {
  const launcher = startLauncher()
  onTestFinished(() => launcher.close())
  await expect.poll(() => launcher.isReady(), { timeout: 60_000 }).toBe(true)
  return launcher
}

function run(by: typeof startHere, start: Partial<ProgramStart> & Pick<ProgramStart, 'file'>) {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const program = by(
    { args: [], cwd: tmpdir(), env, ...start },
    {
      onStdout: (chunk) => void stdout.push(chunk),
      onStderr: (chunk) => void stderr.push(chunk),
    },
  )
  const answer = program.ended.then((exitCode) => ({
    exitCode,
    stdout: Buffer.concat(stdout),
    stderr: Buffer.concat(stderr).toString(),
  }))
  return { ...program, answer }
}

const shell = (script: string) => ({ file: '/bin/sh', args: ['-c', script] })

it('makes no difference to a program: arguments, folder, environment, input, outputs, exit code', async () => {
  const launcher = await openLauncher()
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 256))
  const start = {
    ...shell('cat; pwd >&2; echo "$WORD $PATH $1" >&2; exit 3'),
    env: { ...env, WORD: 'ä\n"b"' },
    input: bytes,
  }
  start.args.push('zero', 'a  b')
  const here = await run(startHere, start).answer
  await expect(run(launcher.start, start).answer).resolves.toEqual(here)
  expect(here).toMatchObject({
    exitCode: 3,
    stdout: bytes,
    stderr: expect.stringContaining('a  b'),
  })
})

it('passes all of a long output on before the end, of several programs at once', async () => {
  const launcher = await openLauncher()
  const programs = [1, 2, 3].map((digit) =>
    run(launcher.start, shell(`head -c 5000000 /dev/zero | tr '\\0' ${digit}`)),
  )
  const outputs = await Promise.all(programs.map(({ answer }) => answer))
  for (const [at, { stdout }] of outputs.entries()) {
    expect(stdout.length).toBe(5_000_000)
    expect(stdout.every((byte) => byte === 0x31 + at)).toBe(true)
  }
})

it.runIf(process.platform === 'linux')(
  'keeps no more of an output than this process takes',
  async () => {
    const launcher = await openLauncher()
    const begun = Promise.withResolvers<void>()
    const start = { ...shell('exec head -c 500000000 /dev/zero'), cwd: '/', env }
    const output = { onStdout: () => begun.resolve(), onStderr: () => {} }
    const program = launcher.start(start, output)
    await begun.promise
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
    program.terminate()
    const status = await readFile(`/proc/${launcher.pid}/status`, 'utf8')
    const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
    expect(Number(peakKb)).toBeLessThan(200_000)
    await program.ended
  },
)

it.each(['a program that is not there', 'a folder that is not there'])(
  'reports %s with the system’s error',
  async (what) => {
    const launcher = await openLauncher()
    const start =
      what === 'a program that is not there'
        ? { file: '/nowhere/git' }
        : { ...shell('true'), cwd: '/nowhere' }
    const here = await run(startHere, start).answer.catch((error) => error)
    const there = await run(launcher.start, start).answer.catch((error) => error)
    expect(there).toMatchObject({ code: 'ENOENT', message: here.message })
  },
)

it.each<[string, Partial<ProgramStart>]>([
  ['in a folder that is a file', { cwd: fileURLToPath(import.meta.url) }],
  ['with an argument that is too long', { args: ['-c', `: ${'x'.repeat(300_000)}`] }],
  ['with a zero byte in an argument', { args: ['-c', ': \0'] }],
])('reports a program that can’t be started %s, and goes on with the others', async (_, wrong) => {
  const launcher = await openLauncher()
  const other = run(launcher.start, shell('sleep 0.3; echo done'))
  const start = { ...shell('true'), ...wrong }
  const here = await run(startHere, start).answer.catch((error) => error)
  const there = await run(launcher.start, start).answer.catch((error) => error)
  expect(there).toBeInstanceOf(Error)
  expect(there).toMatchObject({ code: here.code, message: here.message })
  await expect(other.answer).resolves.toMatchObject({ exitCode: 0, stdout: Buffer.from('done\n') })
  expect(launcher.hasEnded()).toBe(false)
})

it.each([
  ['that ends by itself then', 'trap "exit 7" TERM; echo up; while :; do sleep 0.02; done', 7],
  ['that SIGTERM ends', 'echo up; exec sleep 60', null],
])('ends a program on request: one %s', async (_, script, exitCode) => {
  const launcher = await openLauncher()
  const isUp = Promise.withResolvers<void>()
  const start = { ...shell(script), cwd: '/', env }
  const output = { onStdout: () => isUp.resolve(), onStderr: () => {} }
  const program = launcher.start(start, output)
  await isUp.promise
  program.terminate()
  await expect(program.ended).resolves.toBe(exitCode)
})

it('ends the programs of a launcher that was killed before it reports them, and is not used again', async () => {
  const launcher = await openLauncher()
  const pid = Promise.withResolvers<number>()
  const program = launcher.start(
    { ...shell('echo $$; exec sleep 60'), cwd: '/', env },
    { onStdout: (chunk) => pid.resolve(Number(chunk)), onStderr: () => {} },
  )
  const running = await pid.promise
  process.kill(Number(launcher.pid), 'SIGKILL')
  await expect(program.ended).resolves.toBeNull()
  expect(isRunning(running)).toBe(false)
  expect(launcher.hasEnded()).toBe(true)
  await expect(run(launcher.start, shell('true')).ended).resolves.toBeNull()
})

it('ends with the process that it works for, and lets its programs finish', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'shiplog-launcher-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const module = new URL('../../src/main/processes/launcher/launcher.ts', import.meta.url)
  const script = `
    const { startLauncher } = await import(${JSON.stringify(module.href)})
    const launcher = startLauncher()
    while (!launcher.isReady()) await new Promise((resolve) => setTimeout(resolve, 5))
    const start = { file: '/bin/sh', args: ['-c', 'echo up; sleep 0.3; echo done > ${dir}/done'], cwd: '/', env: process.env }
    launcher.start(start, { onStdout: () => console.log(launcher.pid), onStderr() {} })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [pid] = await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await expect
    .poll(() => readFile(join(dir, 'done'), 'utf8').catch(() => ''), { timeout: 60_000 })
    .toBe('done\n')
  await expect.poll(() => isRunning(Number(String(pid))), { timeout: 60_000 }).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
