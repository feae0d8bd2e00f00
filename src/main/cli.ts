#!/usr/bin/env node
/**
 * The command-line entry: gives the commands this process and the rest of the program. What is heavy is
 * loaded when a command asks for it, so that `--help` and a typing error answer at once.
 */
import { fileURLToPath } from 'node:url'
import { type CliHost, type EndSignal, runCli } from './hosts/cli/index.ts'
import { endWithStarter, runOnOwnNode } from './hosts/cli/own-node.ts'
import { version } from './version.ts'

const endSignals: EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

// The same path for `src/main/cli.ts` and `out/main/cli.js`.
const packageDir = fileURLToPath(new URL('../..', import.meta.url))

const host: CliHost = {
  version,
  packageDir,
  cwd: process.cwd(),
  env: process.env,
  platform: process.platform,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onEndSignal(listener) {
    for (const signal of endSignals) process.on(signal, listener)
    return () => {
      for (const signal of endSignals) process.off(signal, listener)
    }
  },
  exitNow: (code) => process.exit(code),
  async runAttached(command) {
    const { runAttached } = await import('./hosts/cli/run-attached.ts')
    return runAttached(command)
  },
  now: Date.now,
  async resolveDataDir(flag) {
    const { resolveDataDir } = await import('./data-dir.ts')
    return resolveDataDir({ flag, env: process.env })
  },
  async openShiplog(options) {
    const { openShiplog } = await import('./composition/shiplog.ts')
    return openShiplog(options)
  },
  async openLocalEndpoint(shiplog) {
    const { openLocalEndpoint } = await import('./hosts/local/endpoint.ts')
    return openLocalEndpoint({ shiplog, version })
  },
  async readHolder(dataDir) {
    const { readHolder } = await import('./hosts/local/holder.ts')
    return readHolder(dataDir)
  },
  async connectToHolder(holder, dataDir) {
    const { connectToHolder } = await import('./hosts/local/holder.ts')
    return connectToHolder(holder, { dataDir, version })
  },
  async startWebHost(options) {
    const { startWebHost } = await import('./hosts/web/index.ts')
    return startWebHost(options)
  },
}

endWithStarter()
process.exitCode = (await runOnOwnNode(packageDir)) ?? (await runCli(process.argv.slice(2), host))
