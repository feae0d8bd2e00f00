/** The command line run in this process: its outputs as text, its signals by call. */
import { PassThrough, Writable } from 'node:stream'
import { type CliHost, type EndSignal, runCli } from '../../src/main/hosts/cli/index.ts'
import { createFakeShiplog, type FakeShiplog } from './fake-shiplog.ts'

export interface RunOptions extends Partial<CliHost> {
  fake?: FakeShiplog
  stdoutTTY?: boolean
  stderrTTY?: boolean
  /** Typed in a terminal, which stays open. */
  stdinText?: string
  /** Piped in, and then the end. */
  stdinEnd?: string
  columns?: number
}

interface StartedCli {
  /** Resolves with the exit code and all that was printed. */
  ended: Promise<{ code: number; stdout: string; stderr: string }>
  fake: FakeShiplog
  /** As the process would get it. */
  signal(signal: EndSignal): void
  /** Codes that it left with at once. */
  leftWith: number[]
  /** Resolves once standard error has said this. Rejects if the command ends without. */
  said(text: string): Promise<void>
  type(text: string): void
  /** Closes standard input. */
  endInput(): void
  /** Resolves with the first whole line of standard output that passes the test, once there is one. */
  printedLine(isWanted: (line: string) => boolean): Promise<string>
}

export function startCli(argv: string[], options: RunOptions = {}): StartedCli {
  const { fake = createFakeShiplog(), stdoutTTY, stderrTTY, columns, ...more } = options
  const { stdinText, stdinEnd, ...rest } = more
  const stdout = collect(stdoutTTY, columns)
  const stderr = collect(stderrTTY, columns)
  const stdin = Object.assign(new PassThrough(), { isTTY: stdinText !== undefined })
  if (stdinText !== undefined) stdin.write(stdinText)
  if (stdinEnd !== undefined) stdin.end(stdinEnd)
  const listeners = new Set<(signal: EndSignal) => void>()
  const leftWith: number[] = []
  const code = runCli(argv, {
    version: '1.2.3',
    packageDir: '/package/',
    cwd: '/code',
    env: {},
    platform: 'linux',
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    onEndSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    exitNow: (exitCode) => leftWith.push(exitCode),
    runAttached: async () => 0,
    now: () => Date.parse('2026-11-21T10:00:00Z'),
    resolveDataDir: async (flag) => flag ?? '/data',
    openShiplog: async () => fake.shiplog,
    openLocalEndpoint: async () => ({
      unpublish: async () => {},
      isUsed: () => false,
      unused: async () => {},
      close: async () => {},
    }),
    readHolder: async () => null,
    connectToHolder: async () => {
      throw new Error('no other process in this test')
    },
    startWebHost: async () => {
      throw new Error('no web host in this test')
    },
    ...rest,
  })
  const ended = code.then((one) => ({ code: one, stdout: stdout.text(), stderr: stderr.text() }))
  return {
    fake,
    leftWith,
    ended,
    signal(signal) {
      for (const listener of listeners) listener(signal)
    },
    async said(text) {
      await Promise.race([stderr.said(text), ended])
      if (!stderr.text().includes(text))
        throw new Error(`it ended without saying ${text}: ${stderr.text()}`)
    },
    type: (text) => void stdin.write(text),
    endInput: () => void stdin.end(),
    printedLine: stdout.line,
  }
}

export const runToEnd = (argv: string[], options?: RunOptions) => startCli(argv, options).ended

export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

function collect(isTTY = false, columns = 80) {
  let text = ''
  const waiting: { wanted: string; resolve: () => void }[] = []
  const forLines: (() => void)[] = []
  const stream = new Writable({
    write(piece, _encoding, done) {
      text += piece
      for (const one of waiting) if (text.includes(one.wanted)) one.resolve()
      for (const look of forLines) look()
      done()
    },
  })
  return {
    stream: Object.assign(stream, { isTTY, columns }),
    text: () => text,
    said(wanted: string): Promise<void> {
      if (text.includes(wanted)) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ wanted, resolve }))
    },
    line(isWanted: (line: string) => boolean): Promise<string> {
      return new Promise((resolve) => {
        const look = () => {
          const found = text.split('\n').slice(0, -1).find(isWanted)
          if (found !== undefined) resolve(found)
        }
        forLines.push(look)
        look()
      })
    },
  }
}
