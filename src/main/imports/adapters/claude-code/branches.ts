/**
 * Which branch of the conversation each record of a session file belongs to (I5). Records form trees by `parentUuid`; the
 * conversation is the path to the newest message. What else there is falls in two kinds: parallel tool calls, their
 * results and progress, which hang beside the path and are part of it, and branches that a person left by going back.
 */
import { createColumn, type NumberColumn } from '../../../../shared/number-column.ts'
import { createIdTable, hashOf } from '../compact-ids.ts'
import { isRecord, records, text } from '../values.ts'

export interface Branches {
  /** Records in the file, in its order. */
  records: number
  /** The branch of a record: 0 for the conversation; -1 if it has no place in the tree. */
  branchOf(record: number): number
  /** The branch that a branch leaves, and the record after which it does; null: the conversation, or a side chain. */
  parentOf(branch: number): { branch: number; record: number } | null
  /** Whether a branch leaves after this record. */
  isForkPoint(record: number): boolean
  /** The side chain that a record belongs to; null: none, it is of the session itself. */
  chainOf(record: number): string | null
  /** All side chains. */
  chains: string[]
  /** A record before it has the same id. */
  isRepeated(record: number): boolean
}

const flags = { message: 1, result: 2, placed: 4, repeated: 8, side: 16 }

export function createBranchSurvey({ inlineChains }: { inlineChains: boolean }) {
  let ids = createIdTable()
  /** For each record the one that it follows, from 1; 0: none that is known yet. */
  const parents = createColumn((length) => new Int32Array(length))
  /** Ids of records that come later than one which follows them. */
  const laterParents = new Map<number, number>()
  /** For each record the model's message that it is a part of, from 1; 0: none. */
  const messages = createColumn((length) => new Int32Array(length))
  const messageNumbers = createMessageNumbers()
  const kinds = createColumn((length) => new Uint8Array(length))
  const agentIds = new Map<number, string>()

  /** Adds the next record of the file; null: it can't be read. */
  function add(record: Record<string, unknown> | null): void {
    const index = kinds.length
    const uuid = text(record?.uuid)
    if (!record || uuid === null) {
      parents.push(0)
      messages.push(0)
      kinds.push(0)
      return
    }
    const isNew = ids.add(hashOf(uuid), index)
    const parent = text(record.parentUuid) ?? text(record.logicalParentUuid)
    const parentId = parent === null || parent === uuid ? 0 : hashOf(parent)
    const known = parentId === 0 ? -1 : ids.find(parentId)
    if (parentId !== 0 && known === -1) laterParents.set(index, parentId)
    parents.push(known + 1)
    const message = isRecord(record.message) ? record.message : {}
    const messageId = record.type === 'assistant' ? text(message.id) : null
    messages.push(messageId === null ? 0 : messageNumbers.of(hashOf(messageId)))
    let kind = flags.placed | (isNew ? 0 : flags.repeated)
    if (record.type === 'user' || record.type === 'assistant') kind |= flags.message
    if (record.type === 'user' && hasOnlyResults(message.content)) kind |= flags.result
    if (inlineChains && record.isSidechain === true) {
      kind |= flags.side
      const agentId = text(record.agentId)
      if (agentId !== null) agentIds.set(index, agentId)
    }
    kinds.push(kind)
  }

  /** Nothing can be added afterwards. */
  function finish(): Branches {
    for (const [index, id] of laterParents) parents.set(index, ids.find(id) + 1)
    // For a file of gigabytes they are most of the memory, and nothing below needs them.
    ids = createIdTable()
    return branchesOf({ parents, messages, kinds, agentIds, messageCount: messageNumbers.count() })
  }

  return { add, finish }
}

/** Records of one message are at most so many messages apart. */
const messagesApartMax = 2_000

function createMessageNumbers() {
  const recent = new Map<number, number>()
  let count = 0
  return {
    of(id: number): number {
      const number = recent.get(id) ?? ++count
      recent.delete(id)
      recent.set(id, number)
      const [oldest] = recent.keys()
      if (recent.size > messagesApartMax && oldest !== undefined) recent.delete(oldest)
      return number
    },
    count: () => count,
  }
}

const hasOnlyResults = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.length > 0 &&
  records(content).every(({ type }) => type === 'tool_result')

interface Surveyed {
  parents: NumberColumn
  messages: NumberColumn
  kinds: NumberColumn
  agentIds: Map<number, string>
  messageCount: number
}

function branchesOf(surveyed: Surveyed): Branches {
  const { branchOf, branches, chains, forkPoints } = placeRecords(surveyed)
  const { kinds } = surveyed
  return {
    records: kinds.length,
    branchOf: (record) => branchOf[record] ?? -1,
    parentOf: (branch) => branches[branch]?.parent ?? null,
    isForkPoint: (record) => forkPoints.has(record),
    chainOf: (record) => branches[branchOf[record] ?? -1]?.chain ?? null,
    chains: [...chains.keys()],
    isRepeated: (record) => (kinds.at(record) & flags.repeated) !== 0,
  }
}

/** What is needed only for this is free again afterwards. */
function placeRecords({ parents, messages, kinds, agentIds, messageCount }: Surveyed) {
  const { length } = kinds
  const branchOf = new Int32Array(length).fill(-1)
  /** The walk that came past a record, so that a cycle ends. */
  const walks = new Int32Array(length)
  const branches: { parent: { branch: number; record: number } | null; chain: string | null }[] = [
    { parent: null, chain: null },
  ]
  const chains = new Map<string, number>()
  const forkPoints = new Set<number>()
  /** The records of one message are in one branch. */
  const messageBranch = new Int32Array(messageCount + 1).fill(-1)
  const has = (record: number, flag: number): boolean => (kinds.at(record) & flag) !== 0
  const parentOf = (record: number): number => {
    const parent = parents.at(record) - 1
    // A side chain may name the call that started it as its parent: it is a conversation of its own.
    return parent !== -1 && has(parent, flags.side) === has(record, flags.side) ? parent : -1
  }

  /** The branch of a tree without a known parent. */
  function trunkOf(top: number): number {
    if (!has(top, flags.side)) return 0
    const chain = agentIds.get(top) ?? `chain-${top}`
    const known = chains.get(chain)
    if (known !== undefined) return known
    branches.push({ parent: null, chain })
    chains.set(chain, branches.length - 1)
    return branches.length - 1
  }

  /** Part of the conversation although the path does not go through it. */
  function isBeside(record: number, branch: number): boolean {
    if (!has(record, flags.message) || has(record, flags.result)) return true
    return messages.at(record) !== 0 && messageBranch[messages.at(record)] === branch
  }

  /** Places a record and everything above it that has no place yet. */
  function place(record: number, walk: number): void {
    let length = 0
    let above = record
    while (above !== -1 && branchOf[above] === -1 && walks[above] !== walk) {
      walks[above] = walk
      length++
      above = parentOf(above)
    }
    // A long session has millions of records.
    const path = new Int32Array(length)
    for (let one = record; length > 0; one = parentOf(one)) path[--length] = one
    const [top] = path
    if (top === undefined) return
    const isPlaced = above !== -1 && branchOf[above] !== -1
    let branch = isPlaced ? (branchOf[above] ?? 0) : trunkOf(top)
    let before = isPlaced ? above : -1
    let isAway = !isPlaced
    for (const one of path) {
      if (!isAway && !isBeside(one, branch)) {
        branches.push({
          parent: { branch, record: before },
          chain: branches[branch]?.chain ?? null,
        })
        forkPoints.add(before)
        branch = branches.length - 1
        isAway = true
      }
      branchOf[one] = branch
      const message = messages.at(one)
      if (message !== 0 && messageBranch[message] === -1) messageBranch[message] = branch
      before = one
    }
  }

  // The newest message first, so that the conversation is the path to it; then what only reports progress.
  for (const wanted of [flags.message, flags.placed])
    for (let record = length - 1; record >= 0; record--)
      if (has(record, wanted) && !has(record, flags.repeated) && branchOf[record] === -1)
        place(record, wanted * length + record + 1)

  return { branchOf, branches, chains, forkPoints }
}
