/** The log that is open in this window without being imported: its read progress, and the stores that show it. */
import { ORPCError } from '@orpc/client'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { type OpenedLog, uploadBytesMax } from '../../../shared/contract/opened.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { base64Of } from '../base64.ts'

export type OpenedView =
  | { kind: 'none' }
  | { kind: 'opening'; name: string; bytes: number; bytesTotal: number }
  | { kind: 'open'; log: OpenedLog }
  /** `name`: the file that could not be opened. */
  | { kind: 'failed'; name: string; problem: Problem }
  /** The host was restarted, or another log was opened since. */
  | { kind: 'closed' }

/** A dropped or chosen file; `path`: where the host can read it; null if the page can't determine it. */
export interface GivenFile {
  /** Includes the folders with which it was dropped. */
  name: string
  file: Blob
  path: string | null
}

/** Why files are not opened. */
export const notOpened = (message: string): Error => new ORPCError('INVALID', { message })

export interface OpenedLogs {
  store: StoreApi<OpenedView>
  openPath(path: string): Promise<OpenedLog | null>
  /**
   * `read` finds the files; what it throws is shown. Resolves with null if it can't be opened, or another log was opened
   * before it was read.
   */
  openFiles(name: string, read: () => Promise<GivenFile[]>): Promise<OpenedLog | null>
  /** Shows a log that the host has open already, such as after a reload. */
  show(id: string): Promise<void>
  close(): void
}

export function createOpenedLogs({
  client,
}: {
  client: Pick<ShiplogClient, 'opened'>
}): OpenedLogs {
  const store = createStore<OpenedView>(() => ({ kind: 'none' }))
  let abort = new AbortController()

  async function open(
    name: string,
    request: (signal: AbortSignal) => Promise<{ path: string } | { upload: string }>,
  ): Promise<OpenedLog | null> {
    // A log that is open stays open in the host, so that going back shows it.
    abort.abort()
    abort = new AbortController()
    const { signal } = abort
    store.setState({ kind: 'opening', name, bytes: 0, bytesTotal: 0 }, true)
    try {
      const of = await request(signal)
      for await (const event of await client.opened.open(of, { signal })) {
        if (signal.aborted) return null
        if (event.type === 'progress') {
          const { bytes, bytesTotal } = event
          store.setState({ kind: 'opening', name, bytes, bytesTotal }, true)
        } else {
          store.setState({ kind: 'open', log: event.log }, true)
          return event.log
        }
      }
    } catch (error) {
      if (!signal.aborted)
        store.setState({ kind: 'failed', name, problem: problemOf(error, `open ${name}`) }, true)
    }
    return null
  }

  async function upload(files: GivenFile[], signal: AbortSignal): Promise<{ upload: string }> {
    const id = crypto.randomUUID()
    for (const { name, file } of files)
      for (let offset = 0; offset === 0 || offset < file.size; offset += uploadBytesMax) {
        signal.throwIfAborted()
        const piece = await file
          .slice(offset, offset + uploadBytesMax)
          .arrayBuffer()
          .catch(() => {
            throw notOpened(`${name} can’t be read.`)
          })
        const data = base64Of(new Uint8Array(piece))
        await client.opened.upload({ upload: id, name, offset, data }, { signal })
      }
    return { upload: id }
  }

  function close(): void {
    abort.abort()
    const before = store.getState()
    store.setState({ kind: 'none' }, true)
    // The host deletes its files at its next start at the latest.
    if (before.kind === 'open') client.opened.close({ id: before.log.id }).catch(() => {})
  }

  return {
    store,
    close,
    openPath: (path) => open(path.split(/[\\/]/).findLast(Boolean) ?? path, async () => ({ path })),
    openFiles: (name, read) =>
      open(name, async (signal) => {
        const files = await read()
        signal.throwIfAborted()
        const path = files.length === 1 ? files[0]?.path : null
        return path ? { path } : upload(files, signal)
      }),
    async show(id) {
      const now = store.getState()
      if (now.kind === 'open' && now.log.id === id) return
      const { log } = await client.opened.get({ id }).catch(() => ({ log: null }))
      store.setState(log ? { kind: 'open', log } : { kind: 'closed' }, true)
    },
  }
}
