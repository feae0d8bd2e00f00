/** The command line as a host. All commands use the contract only. */
export type { CliHost, EndSignal } from './host.ts'
export { runCli } from './run-cli.ts'
