/**
 * `partial.json`: the message in progress, and `running.json`: the output of running calls. Written at most twice a second and never synced, because
 * streaming waits for nothing (J6); a crash loses at most the last half second. It is written at
 * once before a call whose provider requires the preceding reasoning on resume (G3).
 */
import { rm } from 'node:fs/promises'
import writeFileAtomic from 'write-file-atomic'
import { z } from 'zod'
import { type CallProgress, callProgressSchema } from '../../shared/agents/agent-records.ts'
import {
  type PartialMessage,
  partialMessageSchema,
} from '../../shared/records/entry-types/messages.ts'
import { readJsonFile } from '../journal/index.ts'

const writeIntervalMs = 500

interface PartialWriter<Content> {
  /** Null removes the file, because its content is in the journal or was dropped. */
  write(content: Content | null): void
  /** Writes the pending content, unsynced. */
  flush(): Promise<void>
}

export function createPartialWriter<Content>(
  path: string,
  onFailed: (error: unknown) => void = () => {},
): PartialWriter<Content> {
  let wanted: Content | null = null
  let written: Content | null = null
  let timer: NodeJS.Timeout | null = null
  let busy: Promise<void> = Promise.resolve()

  const flush = (): Promise<void> => {
    if (timer) clearTimeout(timer)
    timer = null
    busy = busy.then(async () => {
      if (wanted === written) return
      const next = wanted
      try {
        if (next) await writeFileAtomic(path, JSON.stringify(next), { fsync: false, mode: 0o600 })
        else await rm(path, { force: true })
        written = next
      } catch (error) {
        // Only a preview: a full disk is reported by the journal, with its cause.
        onFailed(error)
      }
    })
    return busy
  }

  return {
    write(content) {
      wanted = content
      if (content === null) void flush()
      else timer ??= setTimeout(() => void flush(), writeIntervalMs)
    },
    flush,
  }
}

/** Reads the output so far of calls in `path`; empty if there is none or it can't be used. Never throws. */
export async function readRunning(path: string): Promise<CallProgress[]> {
  try {
    const read = await readJsonFile(path, z.array(callProgressSchema))
    return read.kind === 'ok' ? read.value : []
  } catch {
    return []
  }
}

/** Reads the message in `path`; null if there is none or it can't be used. Never throws. */
export async function readPartial(path: string): Promise<PartialMessage | null> {
  try {
    const read = await readJsonFile(path, partialMessageSchema)
    return read.kind === 'ok' ? read.value : null
  } catch {
    return null
  }
}
