/**
 * Opens logs without adding them to the archive. Each log is imported into a separate data directory below `opened/`,
 * with separate services, so that the archive's readers can read it and this data directory stays unchanged. The
 * directory is deleted when the log is closed, or by the next start if the process was killed.
 */
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import type { OpenedLog } from '../../shared/contract/opened.ts'
import { FailureError, invalid, refused } from '../../shared/failure.ts'
import {
  explain,
  makeDirDurable,
  openDataFile,
  removeDurable,
  systemCode,
} from '../journal/index.ts'
import { isReading } from './reading-calls.ts'

/** The services over one data directory. */
export interface LogHost {
  client: ShiplogClient
  close(): Promise<void>
}

type OpenEvent =
  | { type: 'progress'; bytes: number; bytesTotal: number }
  | { type: 'opened'; log: OpenedLog }

export interface OpenedLogs {
  open(of: { path: string } | { upload: string }, signal?: AbortSignal): AsyncGenerator<OpenEvent>
  get(id: string): OpenedLog | null
  /** Throws FailureError: not-found if the log is not open, refused if the call is not read-only. */
  call(
    id: string,
    request: {
      path: string[]
      input?: unknown
      signal?: AbortSignal | undefined
      lastEventId?: string | undefined
    },
  ): Promise<unknown>
  upload(piece: { upload: string; name: string; offset: number; data: string }): Promise<void>
  close(id: string): Promise<void>
  closeAll(): Promise<void>
}

/** Each open log uses a few open files and some megabytes of memory. */
const openMax = 4
const uploadFolder = 'files'

interface OpenOne {
  log: OpenedLog
  host: LogHost
  usedAt: number
}

export function createOpenedLogs(deps: {
  /** The directory of all opened logs, which contains nothing else. */
  dir: string
  openHost: (dataDir: string) => Promise<LogHost>
  newId: () => string
}): OpenedLogs {
  const { dir, openHost, newId } = deps
  const logs = new Map<string, OpenOne>()
  const opening = new Set<Promise<void>>()
  let uses = 0

  async function* open(
    of: { path: string } | { upload: string },
    signal = new AbortController().signal,
  ): AsyncGenerator<OpenEvent> {
    const path = await pathOf('path' in of ? of.path : await uploadedPath(of.upload))
    const id = 'upload' in of ? of.upload : newId()
    const done = Promise.withResolvers<void>()
    opening.add(done.promise)
    let host: LogHost | null = null
    try {
      const dataDir = join(dir, id, 'data')
      await makeDirDurable(dataDir)
      host = await openHost(dataDir)
      const log: OpenedLog = {
        id,
        path,
        name: basename(path),
        tools: [],
        sessions: [],
        skipped: [],
      }
      for await (const event of readInto(host.client, log, signal)) yield event
      signal.throwIfAborted()
      if (log.sessions.length === 0)
        invalid(
          'path',
          log.skipped[0]?.reason ??
            `${log.name} is not a readable log: it contains no session of Claude Code or Codex, no ATIF trajectory, and no Shiplog export.`,
        )
      await closeLeastUsed()
      logs.set(id, { log, host, usedAt: ++uses })
      host = null
      yield { type: 'opened', log }
    } finally {
      if (host) await host.close().catch(() => {})
      if (!logs.has(id)) await removeDurable(join(dir, id))
      opening.delete(done.promise)
      done.resolve()
    }
  }

  async function closeLeastUsed(): Promise<void> {
    while (logs.size >= openMax) {
      const [oldest] = [...logs].sort(([, a], [, b]) => a.usedAt - b.usedAt)
      if (oldest) await close(oldest[0])
    }
  }

  /** The only file or folder that was uploaded. */
  async function uploadedPath(upload: string): Promise<string> {
    const names = await readdir(join(dir, upload, uploadFolder)).catch(() => [])
    const [only, ...others] = names
    if (only === undefined) return invalid('path', 'Nothing was uploaded.')
    return join(dir, upload, uploadFolder, ...(others.length === 0 ? [only] : []))
  }

  async function upload(piece: { upload: string; name: string; offset: number; data: string }) {
    const parts = piece.name.split('/')
    if (parts.some((part) => part === '' || part === '.' || part === '..' || /[\\\0]/.test(part)))
      invalid('path', `${piece.name} is not a valid file name.`)
    const path = join(dir, piece.upload, uploadFolder, ...parts)
    await makeDirDurable(dirname(path))
    const handle = await openDataFile(path, piece.offset === 0 ? 'overwrite' : 'append')
    try {
      if ((await handle.stat()).size !== piece.offset)
        invalid('path', `A piece of ${piece.name} is missing.`)
      await handle.appendFile(Buffer.from(piece.data, 'base64'))
    } finally {
      await handle.close()
    }
  }

  async function close(id: string): Promise<void> {
    const one = logs.get(id)
    logs.delete(id)
    await one?.host.close()
    if (one) await removeDurable(join(dir, id))
  }

  return {
    open,
    upload,
    close,
    get: (id) => logs.get(id)?.log ?? null,
    async call(id, { path, input, signal, lastEventId }) {
      const one = logs.get(id)
      if (!one) throw new FailureError({ kind: 'not-found', what: 'file', id })
      if (!isReading(path))
        refused('removed', 'This log is open for reading only. Import it into the archive first.')
      one.usedAt = ++uses
      let called: unknown = one.host.client
      for (const name of path) called = (called as Record<string, unknown>)[name]
      return (called as (input: unknown, options: object) => Promise<unknown>)(input, {
        signal,
        lastEventId,
      })
    },
    async closeAll() {
      await Promise.allSettled(opening)
      for (const id of logs.keys()) await close(id).catch(() => {})
    },
  }
}

/** Deletes directories left behind by a process that was killed while logs were open. */
export async function clearOpenedLogs(dir: string): Promise<void> {
  await removeDurable(dir)
}

/** Imports into the log's own data directory, detecting the format by content. */
async function* readInto(
  client: ShiplogClient,
  log: OpenedLog,
  signal: AbortSignal,
): AsyncGenerator<OpenEvent> {
  const { path } = log
  const { sources } = await client.imports.scan({ path }, { signal })
  for (const source of sources) {
    const { tool } = source
    for await (const event of await client.imports.run({ tool, path }, { signal })) {
      if (event.type === 'session') {
        const { taskId, title } = event.session
        log.sessions.push({ taskId, title })
        if (!log.tools.includes(tool)) log.tools.push(tool)
      } else if (event.type === 'skipped') log.skipped.push(event.skipped)
      else yield { type: 'progress', bytes: event.bytes, bytesTotal: event.bytesTotal }
    }
  }
}

async function pathOf(given: string): Promise<string> {
  if (!isAbsolute(given)) return invalid('path', 'The path of the log has to be absolute.')
  try {
    // The given path may be a symbolic link.
    return await realpath(given)
  } catch (error) {
    return invalid('path', `${given} can't be read: ${explain(systemCode(error))}.`)
  }
}
