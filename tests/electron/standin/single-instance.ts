/** One instance a profile: a file says which process it is, and a socket takes what others are told to say. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface ProfileClaim {
  isFirst: boolean
  /** Resolves once the first instance knows of this one; at once for the first itself. */
  told: Promise<void>
}

/** Synchronous in its answer, as Electron's is. */
export function claimProfile(
  profile: string,
  onSecond: (argv: string[], workingDirectory: string) => void,
): ProfileClaim {
  mkdirSync(profile, { recursive: true })
  const lock = join(profile, 'standin.lock')
  const address = socketFor(profile)
  if (!writeLock(lock)) return { isFirst: false, told: tell(address) }
  const removeSocket = () => {
    if (process.platform !== 'win32') rmSync(address, { force: true })
  }
  process.on('exit', () => {
    rmSync(lock, { force: true })
    removeSocket()
  })
  removeSocket() // of one that was killed
  createServer({ allowHalfOpen: true }, async (socket) => {
    const { argv, workingDirectory } = JSON.parse(await text(socket))
    socket.end()
    onSecond(argv, workingDirectory)
  })
    .listen(address)
    .unref()
  return { isFirst: true, told: Promise.resolve() }
}

function writeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (isAlive(Number(readFileSync(lock, 'utf8')))) return false
    writeFileSync(lock, String(process.pid)) // it was killed
    return true
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function tell(address: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(address)
  socket.on('error', (error) => {
    console.error(`The first instance could not be told: ${error.message}`)
    resolve()
  })
  // It answers by ending its side.
  socket.on('end', () => resolve())
  socket.resume()
  socket.end(JSON.stringify({ argv: process.argv, workingDirectory: process.cwd() }))
  return promise
}

/** Beside the profile its path could be longer than a socket's may be. */
function socketFor(profile: string): string {
  const name = `shiplog-standin-${createHash('sha256').update(profile).digest('hex').slice(0, 16)}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}
