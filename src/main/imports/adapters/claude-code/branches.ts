/**
 * Which branch of the conversation each record of a session file belongs to (I5). Records form trees by `parentUuid`; the
 * conversation is the path to the newest message. What else there is falls in two kinds: parallel tool calls, their
 * results and progress, which hang beside the path and are part of it, and branches that a person left by going back.
 */
import { createColumn, createIdTable, hashOf } from '../compact-ids.ts'
import { isRecord, records, text } from '../values.ts'

export interface Branches {
  /** Records in the file, in its order. */
  records: number
  /** Of a record: its branch, 0 for the conversation; -1: it has no place in the tree. */
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
  const ids = createIdTable()
  const parents = createColumn((length) => new Float64Array(length))
  /** Of the model's message that a record is a part of; 0: none. */
  const messages = createColumn((length) => new Float64Array(length))
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
    parents.push(parent === null || parent === uuid ? 0 : hashOf(parent))
    const message = isRecord(record.message) ? record.message : {}
    const messageId = record.type === 'assistant' ? text(message.id) : null
    messages.push(messageId === null ? 0 : hashOf(messageId))
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

  return { add, finish: () => branchesOf({ ids, parents, messages, kinds, agentIds }) }
}

const hasOnlyResults = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.length > 0 &&
  records(content).every(({ type }) => type === 'tool_result')

type Column = ReturnType<typeof createColumn>

function branchesOf({
  ids,
  parents,
  messages,
  kinds,
  agentIds,
}: {
  ids: ReturnType<typeof createIdTable>
  parents: Column
  messages: Column
  kinds: Column
  agentIds: Map<number, string>
}): Branches {
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
  const messageBranch = createIdTable()
  const has = (record: number, flag: number): boolean => (kinds.at(record) & flag) !== 0
  const parentOf = (record: number): number => {
    const parent = parents.at(record) === 0 ? -1 : ids.find(parents.at(record))
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
    return messages.at(record) !== 0 && messageBranch.find(messages.at(record)) === branch
  }

  /** Places a record and everything above it that has no place yet. */
  function place(record: number, walk: number): void {
    const path: number[] = []
    let above = record
    while (above !== -1 && branchOf[above] === -1 && walks[above] !== walk) {
      walks[above] = walk
      path.push(above)
      above = parentOf(above)
    }
    path.reverse()
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
      if (messages.at(one) !== 0) messageBranch.add(messages.at(one), branch)
      before = one
    }
  }

  // The newest message first, so that the conversation is the path to it; then what only reports progress.
  for (const wanted of [flags.message, flags.placed])
    for (let record = length - 1; record >= 0; record--)
      if (has(record, wanted) && !has(record, flags.repeated) && branchOf[record] === -1)
        place(record, wanted * length + record + 1)

  return {
    records: length,
    branchOf: (record) => branchOf[record] ?? -1,
    parentOf: (branch) => branches[branch]?.parent ?? null,
    isForkPoint: (record) => forkPoints.has(record),
    chainOf: (record) => branches[branchOf[record] ?? -1]?.chain ?? null,
    chains: [...chains.keys()],
    isRepeated: (record) => has(record, flags.repeated),
  }
}
