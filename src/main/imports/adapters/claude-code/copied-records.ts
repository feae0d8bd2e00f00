/**
 * Detects copied records: a session that continues in another file begins with copies of its predecessor's records,
 * with the same ids, or with new ids and `forkedFrom`. Copies are not mapped, so that messages and usage count once.
 */
import type { EarlierSession } from '../adapter.ts'
import { hashOf } from '../compact-ids.ts'
import { asRecord, isRecord, records, text } from '../values.ts'

/** The record's id in its original session. */
export const originalId = (record: Record<string, unknown>): string | null =>
  text(asRecord(record.forkedFrom).messageUuid) ?? text(record.uuid)

/** The entry where a session continues. */
interface ContinuedFrom {
  taskId: EarlierSession['taskId']
  /** The seq of the last copied entry. */
  seq: number
}

/** `named`: the sessions that its records name as their own. */
export function createCopySurvey(earlier: readonly EarlierSession[]) {
  let count = 0
  let last: { record: number; from: ContinuedFrom } | null = null
  /** Set if the first record follows a message of an earlier session, possibly without copies. */
  let followed: ContinuedFrom | null = null
  let isFirst = true
  let isExact = false
  /** Whether a record is marked as a copy by `forkedFrom`. */
  let isForked = false
  /** Whether a new message follows the last copy. */
  let hasNewMessages = false
  let lastMessageId: string | null = null
  /** Whether this file is only the beginning of a later session that was imported first. */
  const isBeginning = (): boolean =>
    last !== null &&
    !isForked &&
    !hasNewMessages &&
    earlier.some(({ taskId, lastSeq }) => taskId === last?.from.taskId && last.from.seq < lastSeq)
  /** Copied messages of the model, whose later records are copies too. */
  const messages = new Set<number>()
  const isKnown = (id: string | null): boolean =>
    id !== null && earlier.some((session) => session.has(id))

  return {
    /** Adds the next record of the file; null: unreadable. */
    add(record: Record<string, unknown> | null): void {
      const index = count++
      const id = record && originalId(record)
      if (id === null) return
      const parent = text(record?.parentUuid) ?? text(record?.logicalParentUuid)
      const named = earlier.find(({ isNamed }) => isNamed)
      // The parent has no entry with its own id, so the session continues after the last message.
      if (isFirst && parent !== null && named)
        followed = { taskId: named.taskId, seq: named.lastSeq }
      isFirst = false
      isForked ||= isRecord(record?.forkedFrom)
      for (const session of earlier) {
        const { taskId } = session
        const seq = session.seqOf(id)
        if (seq !== null) last = { record: index, from: { taskId, seq } }
        const before = parent === null || isExact ? null : session.seqOf(parent)
        if (before === null) continue
        followed = { taskId, seq: before }
        isExact = true
      }
      if (record === null || record.isSidechain === true) return
      const messageId = text(asRecord(record.message).id)
      if (last?.record === index) {
        hasNewMessages = false
        lastMessageId = messageId
      } else if (record.type === 'assistant') hasNewMessages ||= messageId !== lastMessageId
      else if (record.type === 'user') hasNewMessages ||= !isPartOfCopy(record)
    },
    /** Null: it continues from no archived session. */
    get from(): ContinuedFrom | null {
      return isBeginning() ? null : (last?.from ?? followed)
    },
    /** Whether the earlier session has this record. Must be called in file order. */
    isCopy(index: number, record: Record<string, unknown>): boolean {
      if (last === null || isBeginning()) return false
      const messageId = record.type === 'assistant' ? text(asRecord(record.message).id) : null
      if (messageId !== null && messages.has(hashOf(messageId))) return true
      if (index > last.record) return false
      const isCopied = isKnown(originalId(record)) || (hasMessage(record) && isPartOfCopy(record))
      if (isCopied && messageId !== null) messages.add(hashOf(messageId))
      return isCopied
    },
  }
}

const hasMessage = ({ type }: Record<string, unknown>): boolean =>
  type === 'user' || type === 'assistant' || type === 'system'

/** Recognizes a copy without an entry of the same id. Only for records before the last copy. */
function isPartOfCopy(record: Record<string, unknown>): boolean {
  if (isRecord(record.forkedFrom)) return true
  if (record.type === 'system') return record.subtype === 'compact_boundary'
  if (record.type !== 'user') return false
  const { content } = asRecord(record.message)
  const blocks = records(content)
  const hasOnlyResults = blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')
  return hasOnlyResults || record.isMeta === true || record.isCompactSummary === true
}
