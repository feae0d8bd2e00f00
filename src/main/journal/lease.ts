// One writer per data directory, across processes. See FORMAT.md for why two takers can't both win.
import { createHash, randomUUID } from 'node:crypto'
import { link, readdir, readFile, rename, unlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { makeDirDurable, syncDirectory, writeNewFile } from './durable-files.ts'
import { systemCode } from './errors.ts'
import { isRunning, ownIdentity } from './process-identity.ts'

const hostSchema = z.enum(['desktop', 'web', 'cli'])
export type LeaseHost = z.infer<typeof hostSchema>

/**
 * What lease.json holds. Whose it is must be told: a lease that does not say is nobody's, and is taken over.
 * The rest may be wrong, for a live process stays the holder all the same.
 */
const holderSchema = z.object({
  pid: z.number(),
  processStartedAt: z.string(),
  hostName: z.string(),
  host: hostSchema,
  /** Where the holder answers, null when it does not. */
  endpoint: z.string().nullable().catch(null),
  /** Milliseconds since the epoch. */
  acquiredAt: z.number().catch(0),
})
export type LeaseHolder = z.infer<typeof holderSchema>

export interface Lease {
  readonly holder: LeaseHolder
  /** It was a dead process's: that one never gave it back, so it may have left things half done. */
  readonly tookOver: boolean
  /** Publishes where this process answers, once it does. */
  setEndpoint(endpoint: string | null): Promise<void>
  /** Gives it back, if it is still ours. May be called twice. */
  release(): Promise<void>
}

/** Another process writes here. `holder.endpoint` says how to reach it. */
export class LeaseHeldError extends Error {
  readonly kind = 'lease-held'
  readonly holder: LeaseHolder

  constructor(file: string, holder: LeaseHolder) {
    const away = holder.hostName === os.hostname() ? '' : ` on the machine ${holder.hostName}`
    const remedy = away ? `; if nothing runs there any more, delete ${file}` : ''
    super(
      `the data directory is in use by process ${holder.pid}${away} (${holder.host})${remedy || '; close it first'}`,
    )
    this.name = 'LeaseHeldError'
    this.holder = holder
  }
}

const fileName = 'lease.json'
/** Others take over or give back at the same moment: a few short waits are enough for them to finish. */
const attemptsMax = 50
const retryDelayMs = 20

/**
 * Takes the lease of a data directory, making the directory (0700) where missing. A lease whose holder
 * is dead is taken over. Throws LeaseHeldError when another live process has it, also when that one is
 * taking over right now.
 */
export async function acquireLease(
  dataDir: string,
  { host, endpoint = null }: { host: LeaseHost; endpoint?: string | null },
): Promise<Lease> {
  await makeDirDurable(dataDir)
  const { pid, startedAt } = await ownIdentity()
  const holder: LeaseHolder = {
    pid,
    processStartedAt: startedAt,
    hostName: os.hostname(),
    host,
    endpoint,
    acquiredAt: Date.now(),
  }
  const file = path.join(dataDir, fileName)
  for (let attempt = 1; ; attempt++) {
    const claim = contentOf(holder)
    const outcome = await take(file, claim)
    if (outcome.kind === 'taken') {
      await sweepLeftovers(dataDir)
      return createLease(file, holder, claim, outcome.over)
    }
    if (outcome.kind === 'held') throw new LeaseHeldError(file, outcome.holder)
    if (attempt === attemptsMax) throw new LeaseHeldError(file, outcome.by)
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs))
  }
}

/** Who holds the lease now: null when nobody alive does. */
export async function readLeaseHolder(dataDir: string): Promise<LeaseHolder | null> {
  const found = await read(path.join(dataDir, fileName))
  const holder = found && parseHolder(found)
  return holder && (await isAlive(holder)) ? holder : null
}

type Outcome =
  /** `over`: from a dead process. */
  | { kind: 'taken'; over: boolean }
  | { kind: 'held'; holder: LeaseHolder }
  /** It changed hands while we looked. */
  | { kind: 'again'; by: LeaseHolder }

/**
 * Puts `content` at `file`, if nothing is there or what is there was written by a dead process. To
 * replace the bytes of a dead one takes the sole right to replace *these* bytes: a claim file named
 * after them, taken by this same function. Whoever holds the claim and then still finds these bytes
 * knows that nobody else can touch them; every content is unique, so they never come back.
 */
async function take(file: string, content: string): Promise<Outcome> {
  const found = await read(file)
  if (found === null) {
    if (await linkNew(file, content)) return { kind: 'taken', over: false }
    return { kind: 'again', by: (await holderAt(file)) ?? ownHolder(content) }
  }
  const holder = parseHolder(found)
  if (holder && (await isAlive(holder))) return { kind: 'held', holder }
  const claimFile = claimFor(file, found)
  const claim = await take(claimFile, renewed(content))
  if (claim.kind === 'held') return { kind: 'again', by: claim.holder }
  if (claim.kind === 'again') return claim
  try {
    if ((await read(file)) !== found) return { kind: 'again', by: ownHolder(content) }
    await replace(file, content)
    return { kind: 'taken', over: true }
  } finally {
    await unlink(claimFile).catch(() => {})
  }
}

function createLease(
  file: string,
  first: LeaseHolder,
  firstContent: string,
  tookOver: boolean,
): Lease {
  let holder = first
  let content = firstContent
  let released = false
  let last: Promise<unknown> = Promise.resolve()

  /** An endpoint published while the lease is given back would bring it to life again. */
  function serially(work: () => Promise<void>): Promise<void> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  async function isOurs(): Promise<boolean> {
    return !released && (await read(file)) === content
  }

  return {
    tookOver,
    get holder() {
      return holder
    },
    setEndpoint: (endpoint) =>
      serially(async () => {
        if (!(await isOurs())) throw new Error(`${file} is not this process's lease any more`)
        const next = { ...holder, endpoint }
        const nextContent = contentOf(next)
        await replace(file, nextContent)
        holder = next
        content = nextContent
      }),
    release: () =>
      serially(async () => {
        if (await isOurs()) {
          released = true
          await unlink(file)
          await syncDirectory(path.dirname(file))
        }
        released = true
      }),
  }
}

/** Exclusive, and never seen half written: link(2) gives a finished file its name, or fails. */
async function linkNew(file: string, content: string): Promise<boolean> {
  const prepared = await prepare(file, content)
  try {
    await link(prepared, file)
    await syncDirectory(path.dirname(file))
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await unlink(prepared).catch(() => {})
  }
}

async function replace(file: string, content: string): Promise<void> {
  const prepared = await prepare(file, content)
  try {
    await rename(prepared, file)
  } catch (error) {
    await unlink(prepared).catch(() => {})
    throw error
  }
  await syncDirectory(path.dirname(file))
}

async function prepare(file: string, content: string): Promise<string> {
  const prepared = path.join(path.dirname(file), `${fileName}.${randomUUID()}.prepared`)
  await writeNewFile(prepared, Buffer.from(content)).catch(async (error) => {
    await unlink(prepared).catch(() => {})
    throw error
  })
  return prepared
}

/** Unique each time, so that equal bytes always mean the same act of writing them. */
function contentOf(holder: LeaseHolder): string {
  return `${JSON.stringify({ ...holder, nonce: randomUUID() }, null, 2)}\n`
}

function renewed(content: string): string {
  return contentOf(ownHolder(content))
}

function ownHolder(content: string): LeaseHolder {
  const holder = parseHolder(content)
  if (!holder) throw new Error('a lease of our own making is not readable')
  return holder
}

/** The claim to replace these bytes of this file. */
export function claimFor(file: string, content: string): string {
  // The name is part of it, or a claim whose damaged bytes equal the lease's would be its own claim.
  const digest = createHash('sha256')
    .update(`${path.basename(file)}\n${content}`)
    .digest('hex')
  return path.join(path.dirname(file), `${fileName}.${digest.slice(0, 32)}.claim`)
}

async function read(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

async function holderAt(file: string): Promise<LeaseHolder | null> {
  const content = await read(file)
  return content === null ? null : parseHolder(content)
}

/** Null for what no live process can have written: a lease is complete before it gets its name. */
function parseHolder(content: string): LeaseHolder | null {
  try {
    return holderSchema.safeParse(JSON.parse(content)).data ?? null
  } catch {
    return null
  }
}

/** A process on another machine can't be looked at: it counts as alive, and the message says so. */
async function isAlive({ pid, processStartedAt, hostName }: LeaseHolder): Promise<boolean> {
  if (hostName !== os.hostname()) return true
  return isRunning({ pid, startedAt: processStartedAt })
}

/** What takers that died left behind. Only of dead ones: a live taker's files are its own to remove. */
async function sweepLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!/^lease\.json\..+\.(prepared|claim)$/.test(name)) continue
    const file = path.join(dataDir, name)
    const holder = await holderAt(file).catch(() => null)
    if (holder && !(await isAlive(holder))) await unlink(file).catch(() => {})
  }
}
