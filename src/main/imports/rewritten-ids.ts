/** Replaces ids of imported tasks that are already in use, deterministically per imported file (I3). */
import { hash } from 'node:crypto'
import type { TaskId } from '../../shared/records/ids.ts'

export interface RewrittenIds {
  of(id: TaskId): TaskId
  /** Replaces every rewritten id in a text. */
  inText(text: string): string
  isEmpty: boolean
}

export const sameIds: RewrittenIds = { of: (id) => id, inText: (text) => text, isEmpty: true }

/** `sha256`: the hash of the imported file, in hex. */
export function createRewrittenIds(ids: Iterable<TaskId>, sha256: string): RewrittenIds {
  const rewritten = new Map([...ids].map((id) => [id, derivedId(sha256, id)]))
  const pattern = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
  return {
    of: (id) => rewritten.get(id) ?? id,
    inText: (text) => text.replace(pattern, (id) => rewritten.get(id as TaskId) ?? id),
    isEmpty: false,
  }
}

/** A deterministic id in the form of a version 4 UUID. */
export function derivedId(sha256: string, of: string): TaskId {
  const digits = hash('sha256', `${sha256}\0${of}`)
  const variant = '89ab'[Number.parseInt(digits[16] ?? '0', 16) % 4]
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-') as TaskId
}
