/** The context of every command: its two outputs, and the options that all commands share. */
import { visibleJson } from '../../../shared/text/shown-text.ts'
import type { CliHost } from './host.ts'
import { createOutput, type Output } from './terminal/output.ts'
import { createProgressOutput, type ProgressOutput } from './terminal/progress-output.ts'
import { safeLine } from './terminal/safe-text.ts'

export interface CliContext {
  host: CliHost
  /** Standard output: the document alone. */
  out: Output
  /** Standard error: messages for people. */
  err: Output
  /** Standard error for lines about running agents, which wait while a person is asked. */
  progress: ProgressOutput
  json: boolean
  /** The value of `--data-dir`. */
  dataDirFlag: string | undefined
  /** One line for the person. */
  say(line: string): Promise<void>
  warn(line: string): Promise<void>
  /** A line of JSON. On a terminal hidden characters in it are escapes, elsewhere it is as it comes. */
  printJsonLine(value: unknown): Promise<void>
  /** The one JSON document of a command: indented on a terminal, a line everywhere else. */
  printJson(document: unknown): Promise<void>
}

export function createContext(
  host: CliHost,
  outputs: { out: Output; err: Output },
  options: { json?: boolean; dataDir?: string },
): CliContext {
  const { out, err } = outputs
  // A failure to print a message (the terminal is closed) must not stop the operation.
  const printJson = (value: unknown, indent?: number) => {
    const json = JSON.stringify(value, null, indent)
    return out.write(`${out.isTTY ? visibleJson(json) : json}\n`)
  }
  const say = (line: string) => err.write(`${line}\n`).catch(() => {})
  return {
    host,
    out,
    err,
    progress: createProgressOutput(err),
    json: options.json === true,
    dataDirFlag: options.dataDir,
    say,
    warn: (line) => say(`${err.style('yellow', 'Warning:')} ${safeLine(line)}`),
    printJsonLine: (value) => printJson(value),
    printJson: (document) => printJson(document, out.isTTY ? 2 : undefined),
  }
}

export function createOutputs(host: CliHost): { out: Output; err: Output } {
  return { out: createOutput(host.stdout, host.env), err: createOutput(host.stderr, host.env) }
}
