/**
 * A session that continues in another file begins with copies of the records of the one before: with the same ids, or with
 * new ones and `forkedFrom`. They are not mapped again, so that messages and usage count once.
 */
import type { EarlierSession } from '../adapter.ts'
import { hashOf } from '../compact-ids.ts'
import { asRecord, isRecord, records, text } from '../values.ts'

/** The id that a record has in the session that it was first written to. */
export const originalId = (record: Record<string, unknown>): string | null =>
  text(asRecord(record.forkedFrom).messageUuid) ?? text(record.uuid)

/** Where a session continues from. */
interface ContinuedFrom {
  taskId: EarlierSession['taskId']
  /** The last entry there that it has a copy of. */
  seq: number
}

/** `named`: the sessions that its records name as their own. */
export function createCopySurvey(earlier: readonly EarlierSession[]) {
  let count = 0
  let last: { record: number; from: ContinuedFrom } | null = null
  /** Set by the first record that follows a message of an earlier session: there may be no copies. */
  let followed: ContinuedFrom | null = null
  let isFirst = true
  let isExact = false
  /** A record says that it is a copy. */
  let isForked = false
  /** Something was said after the last record that is a copy. */
  let hasNewMessages = false
  let lastMessageId: string | null = null
  /** It ends where the other one continues: that is the later one of the two, and was imported first. */
  const isBeginning = (): boolean =>
    last !== null &&
    !isForked &&
    !hasNewMessages &&
    earlier.some(({ taskId, lastSeq }) => taskId === last?.from.taskId && last.from.seq < lastSeq)
  /** The model's messages that are copies: their later records are copies too. */
  const messages = new Set<number>()
  const isKnown = (id: string | null): boolean =>
    id !== null && earlier.some((session) => session.has(id))

  return {
    /** Adds the next record of the file; null: it can't be read. */
    add(record: Record<string, unknown> | null): void {
      const index = count++
      const id = record && originalId(record)
      if (id === null) return
      const parent = text(record?.parentUuid) ?? text(record?.logicalParentUuid)
      const named = earlier.find(({ isNamed }) => isNamed)
      // The record that it follows is a part of a message, or of a kind that has no id here.
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
    /** Null: it continues from none that is here. */
    get from(): ContinuedFrom | null {
      return isBeginning() ? null : (last?.from ?? followed)
    },
    /** Whether the earlier session has this record. To be asked in the order of the file. */
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

/** Recognizes a copied record whose id no entry has. Called for records before the last copy. */
function isPartOfCopy(record: Record<string, unknown>): boolean {
  if (isRecord(record.forkedFrom)) return true
  if (record.type === 'system') return record.subtype === 'compact_boundary'
  if (record.type !== 'user') return false
  const { content } = asRecord(record.message)
  const blocks = records(content)
  const hasOnlyResults = blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')
  return hasOnlyResults || record.isMeta === true || record.isCompactSummary === true
}
