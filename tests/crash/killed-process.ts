/**
 * Played in a process of its own, which kills itself at the n-th call to the file system:
 * `node killed-process.ts <dataDir> <projectDir> <n>`. What it is told it prints at once, a line each.
 */
import { writeSync } from 'node:fs'
import { openShiplog } from '../../src/main/shiplog.ts'
import { record } from './fault-fs/record.ts'
import { voyage } from './services.ts'

const [dataDir = '', projectDir = '', killAt = ''] = process.argv.slice(2)
const recording = record(dataDir, {
  // What git writes is not seen, and the worktrees are git's.
  ignore: (path) => path.startsWith('worktrees'),
  inject({ n }) {
    if (n === Number(killAt)) process.kill(process.pid, 'SIGKILL')
    return null
  },
})
const shiplog = await openShiplog({ dataDir, host: 'cli' })
await voyage(shiplog, projectDir, (fact) => void writeSync(1, `${JSON.stringify(fact)}\n`))
await shiplog.close()
writeSync(1, `${JSON.stringify({ what: 'over', attempts: recording.attempts })}\n`)
