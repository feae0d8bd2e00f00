/** The command line as a host: every command speaks the contract, so that it may point anywhere. */
export type { CliHost, EndSignal } from './host.ts'
export { runCli } from './run-cli.ts'
