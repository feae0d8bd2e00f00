/**
 * Assigns each record of a session file to a branch of the conversation (I5). Records form trees by `parentUuid`, and
 * the conversation is the path to the newest message. Other records are either parallel tool calls, their results and
 * progress, which belong to the path, or branches that a user abandoned by going back.
 */
import { createColumn, type NumberColumn } from '../../../../shared/collections/number-column.ts'
import { setBounded } from '../../../../shared/projections/session/bounded-lists.ts'
import { createIdTable, hashOf } from '../compact-ids.ts'
import { isRecord, records, text } from '../values.ts'

export interface Branches {
  /** Number of records in the file. */
  records: number
  /** The branch of a record: 0 for the conversation; -1 if the record is not in the tree. */
  branchOf(record: number): number
  /** The parent branch and the record where the branch forks; null: the conversation or a side chain. */
  parentOf(branch: number): { branch: number; record: number } | null
  /** Whether a branch forks after this record. */
  isForkPoint(record: number): boolean
  /** The side chain of a record; null: the record belongs to the session itself. */
  chainOf(record: number): string | null
  /** All side chains. */
  chains: string[]
  /** Whether an earlier record has the same id. */
  isRepeated(record: number): boolean
}

const flags = { message: 1, result: 2, placed: 4, repeated: 8, side: 16 }

export function createBranchSurvey({ inlineChains }: { inlineChains: boolean }) {
  let ids = createIdTable()
  /** By record: its parent, from 1; 0: unknown so far. */
  const parents = createColumn((length) => new Int32Array(length))
  /** By record: the id of a parent that was not yet in the file. */
  const laterParents = new Map<number, number>()
  /** By record: the number of the model's message that it belongs to, from 1; 0: none. */
  const messages = createColumn((length) => new Int32Array(length))
  const messageNumbers = createMessageNumbers()
  const kinds = createColumn((length) => new Uint8Array(length))
  const agentIds = new Map<number, string>()

  /** Adds the next record of the file; null: unreadable. */
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
    // Frees the ids, which take most of the memory for a file of gigabytes and are no longer needed.
    ids = createIdTable()
    return branchesOf({ parents, messages, kinds, agentIds, messageCount: messageNumbers.count() })
  }

  return { add, finish }
}

/** Maximum distance between records of one message, in messages. */
const messagesApartMax = 2_000

function createMessageNumbers() {
  const recent = new Map<number, number>()
  let count = 0
  return {
    of(id: number): number {
      const number = recent.get(id) ?? ++count
      setBounded(recent, id, number, messagesApartMax)
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

/** A separate function, so that its temporary arrays are freed when it returns. */
function placeRecords({ parents, messages, kinds, agentIds, messageCount }: Surveyed) {
  const { length } = kinds
  const branchOf = new Int32Array(length).fill(-1)
  /** By record: the last walk that visited it, to detect cycles. */
  const walks = new Int32Array(length)
  const branches: { parent: { branch: number; record: number } | null; chain: string | null }[] = [
    { parent: null, chain: null },
  ]
  const chains = new Map<string, number>()
  const forkPoints = new Set<number>()
  /** By message: its branch, because all records of a message belong to one branch. */
  const messageBranch = new Int32Array(messageCount + 1).fill(-1)
  const has = (record: number, flag: number): boolean => (kinds.at(record) & flag) !== 0
  const parentOf = (record: number): number => {
    const parent = parents.at(record) - 1
    // A side chain is a separate conversation, even if it names the call that started it as parent.
    return parent !== -1 && has(parent, flags.side) === has(record, flags.side) ? parent : -1
  }

  /** The branch of a tree whose root has no known parent. */
  function trunkOf(top: number): number {
    if (!has(top, flags.side)) return 0
    const chain = agentIds.get(top) ?? `chain-${top}`
    const known = chains.get(chain)
    if (known !== undefined) return known
    branches.push({ parent: null, chain })
    chains.set(chain, branches.length - 1)
    return branches.length - 1
  }

  /** Whether a record off the path still belongs to the branch. */
  function isBeside(record: number, branch: number): boolean {
    if (!has(record, flags.message) || has(record, flags.result)) return true
    return messages.at(record) !== 0 && messageBranch[messages.at(record)] === branch
  }

  /** Assigns a branch to a record and its unassigned ancestors. */
  function place(record: number, walk: number): void {
    let length = 0
    let above = record
    while (above !== -1 && branchOf[above] === -1 && walks[above] !== walk) {
      walks[above] = walk
      length++
      above = parentOf(above)
    }
    // A typed array, because a long session has millions of records.
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

  // Newest message first, so that the conversation is the path to it. Progress records come second.
  for (const wanted of [flags.message, flags.placed])
    for (let record = length - 1; record >= 0; record--)
      if (has(record, wanted) && !has(record, flags.repeated) && branchOf[record] === -1)
        place(record, wanted * length + record + 1)

  return { branchOf, branches, chains, forkPoints }
}
