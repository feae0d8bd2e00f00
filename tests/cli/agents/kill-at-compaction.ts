/** Loaded with `node --import`: the process is killed when it has a summary and is about to record it. */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const { open } = fs
fs.open = async (...given: Parameters<typeof open>) => {
  const handle = await open(...given)
  const { write } = handle
  const killing = (data: unknown, ...more: unknown[]) => {
    const isCompaction = Buffer.isBuffer(data) && data.includes('"type":"compaction"')
    if (isCompaction) process.kill(process.pid, 'SIGKILL')
    return Reflect.apply(write, handle, [data, ...more])
  }
  handle.write = killing as typeof write
  return handle
}
syncBuiltinESMExports()
