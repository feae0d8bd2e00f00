/**
 * What a disk may hold after the power went in the middle of a trace. What was synced is there. Of the
 * rest any part may be: a write may be missing, torn, or have left its length without its bytes, whatever
 * became of the writes around it; a name that was made, changed or taken away may not have been yet,
 * until its directory was synced. A rename happens whole or not at all.
 */
import type { Random } from './random.ts'
import type { Operation, Step, Trace, Tree } from './trace.ts'

/** What becomes of a change that was not synced. */
type Fate = 'kept' | 'lost' | 'torn'

export interface CrashPlan {
  /** The power goes before this step begins, 0 to the trace's length. */
  at: number
  fate: (operation: Operation) => Fate
  /** How a write is torn. */
  tear: (data: Buffer) => Buffer
}

/** A process that is killed loses nothing that it handed to the system. */
export const killedAt = (at: number): CrashPlan => ({
  at,
  fate: () => 'kept',
  tear: (data) => data,
})

/** The disk kept nothing that it was not forced to keep. */
export const forgottenAt = (at: number): CrashPlan => ({
  at,
  fate: () => 'lost',
  tear: (data) => data,
})

/** Any mixture; the same random numbers give the same one. */
export function scrambledAt(at: number, random: Random): CrashPlan {
  const keeps = random.pick([0.2, 0.5, 0.8])
  return {
    at,
    fate: ({ kind }) => {
      if (random.chance(keeps)) return 'kept'
      return kind === 'write' && random.chance(0.5) ? 'torn' : 'lost'
    },
    tear: (data) => tornWrite(data, random),
  }
}

const sectorBytes = 512

function tornWrite(data: Buffer, random: Random): Buffer {
  switch (random.pick(['beginning', 'length-only', 'sectors'] as const)) {
    case 'beginning':
      return data.subarray(0, random.below(data.length + 1))
    case 'length-only':
      return Buffer.alloc(data.length)
    case 'sectors': {
      const torn = Buffer.alloc(data.length)
      for (let at = 0; at < data.length; at += sectorBytes)
        if (random.chance(0.5)) data.copy(torn, at, at, at + sectorBytes)
      return torn
    }
  }
}

type Inode =
  | { kind: 'dir'; names: Map<string, Inode> }
  | { kind: 'file'; data: Buffer; writes: Write[] }
  | { kind: 'link'; target: string }

/** A change of a file's bytes. */
interface Write {
  step: Step
  synced: boolean
}

/** A change of names, in one directory or, for a rename, in two: whole or not at all. */
interface Naming {
  step: Step
  changes: { dir: Inode & { kind: 'dir' }; name: string; inode: Inode | null }[]
  /** The directory whose sync makes it durable. */
  durableIn: Inode
  synced: boolean
}

export interface CrashState {
  tree: Tree
  /** What somebody had been told by then. */
  acknowledged: unknown[]
}

export function crashState(trace: Trace, plan: CrashPlan): CrashState {
  const steps = trace.steps.slice(0, plan.at)
  const disk = replay(trace.before, steps, plan.at)
  const root = plant(trace.before)
  const twins = new Map<Inode, Inode>([[disk.root, root]])
  pairUp(disk.planted, root, twins)
  for (const { step, changes, synced } of disk.namings) {
    if (!synced && plan.fate(step.operation) !== 'kept') continue
    for (const { dir, name, inode } of changes) {
      const twin = twinOf(dir, twins)
      if (inode) namesOf(twin).set(name, twinOf(inode, twins))
      else namesOf(twin).delete(name)
    }
  }
  for (const [inode, twin] of twins) {
    if (inode.kind !== 'file' || twin.kind !== 'file') continue
    for (const write of inode.writes) {
      const fate = write.synced ? 'kept' : plan.fate(write.step.operation)
      if (fate !== 'lost') applyWrite(twin, write.step.operation, fate, plan)
    }
  }
  return { tree: treeOf(root), acknowledged: acknowledgedIn(steps) }
}

const acknowledgedIn = (steps: Step[]): unknown[] =>
  steps.flatMap(({ operation }) => (operation.kind === 'ack' ? [operation.fact] : []))

/** Goes through the steps as the process saw them, and notes for each change whether it was synced. */
function replay(before: Tree, steps: Step[], at: number) {
  const root = plant(before)
  const planted = copyNames(root)
  const handles = new Map<number, Inode>()
  const namings: Naming[] = []

  function find(path: string): Inode | undefined {
    let inode: Inode | undefined = root
    for (const name of path === '' ? [] : path.split('/'))
      inode = inode?.kind === 'dir' ? inode.names.get(name) : undefined
    return inode
  }

  function parentOf(path: string): { dir: Inode & { kind: 'dir' }; name: string } | null {
    const cut = path.lastIndexOf('/')
    const dir = find(cut === -1 ? '' : path.slice(0, cut))
    return dir?.kind === 'dir' ? { dir, name: path.slice(cut + 1) } : null
  }

  function rename(step: Step, changes: Naming['changes'], durableIn: Inode): void {
    for (const { dir, name, inode } of changes) {
      if (inode) dir.names.set(name, inode)
      else dir.names.delete(name)
    }
    namings.push({ step, changes, durableIn, synced: false })
  }

  function name(step: Step, path: string, inode: Inode | null): void {
    const place = parentOf(path)
    if (place) rename(step, [{ ...place, inode }], place.dir)
  }

  function sync(step: Step, inode: Inode): void {
    if (step.doneAt === null || step.doneAt > at) return
    const covered = (one: { step: Step }) =>
      one.step.doneAt !== null && one.step.doneAt <= step.begunAt
    if (inode.kind === 'file') for (const write of inode.writes) write.synced ||= covered(write)
    for (const naming of namings) if (naming.durableIn === inode) naming.synced ||= covered(naming)
  }

  for (const step of steps) {
    if (step.failed) continue
    const { operation } = step
    switch (operation.kind) {
      case 'open': {
        const made: Inode = { kind: 'file', data: Buffer.alloc(0), writes: [] }
        if (operation.creates) name(step, operation.path, made)
        const inode = find(operation.path)
        if (!inode) break
        handles.set(operation.handle, inode)
        if (operation.truncates && inode.kind === 'file') inode.writes.push({ step, synced: false })
        break
      }
      case 'mkdir':
        name(step, operation.path, { kind: 'dir', names: new Map() })
        break
      case 'symlink':
        name(step, operation.path, { kind: 'link', target: operation.target })
        break
      case 'link':
        name(step, operation.path, find(operation.from) ?? null)
        break
      case 'unlink':
      case 'rmdir':
        name(step, operation.path, null)
        break
      case 'rename': {
        const [source, target] = [parentOf(operation.from), parentOf(operation.path)]
        const inode = find(operation.from)
        if (!source || !target || !inode) break
        rename(
          step,
          [
            { ...source, inode: null },
            { ...target, inode },
          ],
          target.dir,
        )
        break
      }
      case 'write':
      case 'truncate': {
        const inode = handles.get(operation.handle)
        if (inode?.kind === 'file') inode.writes.push({ step, synced: false })
        break
      }
      case 'sync': {
        const inode = handles.get(operation.handle)
        if (inode) sync(step, inode)
        break
      }
      case 'ack':
        break
    }
  }
  return { root, planted, namings }
}

function plant(tree: Tree): Inode & { kind: 'dir' } {
  const root: Inode & { kind: 'dir' } = { kind: 'dir', names: new Map() }
  const dirs = new Map<string, Map<string, Inode>>([['', root.names]])
  for (const [path, node] of tree) {
    const cut = path.lastIndexOf('/')
    const names = dirs.get(cut === -1 ? '' : path.slice(0, cut))
    const inode: Inode =
      node.kind === 'dir'
        ? { kind: 'dir', names: new Map() }
        : node.kind === 'link'
          ? { ...node }
          : { kind: 'file', data: node.data, writes: [] }
    if (inode.kind === 'dir') dirs.set(path, inode.names)
    names?.set(path.slice(cut + 1), inode)
  }
  return root
}

/** The names as they were before, with the inodes that the replay will change. */
function copyNames(
  dir: Inode & { kind: 'dir' },
): Map<string, { inode: Inode; below: Names | null }> {
  const names: Names = new Map()
  for (const [name, inode] of dir.names)
    names.set(name, { inode, below: inode.kind === 'dir' ? copyNames(inode) : null })
  return names
}

type Names = Map<string, { inode: Inode; below: Names | null }>

/** Finds for each inode that was there before its counterpart on the disk that is being built. */
function pairUp(planted: Names, root: Inode & { kind: 'dir' }, twins: Map<Inode, Inode>): void {
  for (const [name, { inode, below }] of planted) {
    const twin = root.names.get(name)
    if (!twin) continue
    twins.set(inode, twin)
    if (below && twin.kind === 'dir') pairUp(below, twin, twins)
  }
}

/** One that was made during the trace begins empty. */
function twinOf(inode: Inode, twins: Map<Inode, Inode>): Inode {
  const known = twins.get(inode)
  if (known) return known
  const made: Inode =
    inode.kind === 'dir'
      ? { kind: 'dir', names: new Map() }
      : inode.kind === 'file'
        ? { kind: 'file', data: Buffer.alloc(0), writes: [] }
        : inode
  twins.set(inode, made)
  return made
}

function namesOf(inode: Inode): Map<string, Inode> {
  return inode.kind === 'dir' ? inode.names : new Map()
}

function applyWrite(
  file: Inode & { kind: 'file' },
  operation: Operation,
  fate: Fate,
  plan: CrashPlan,
): void {
  if (operation.kind === 'open') file.data = Buffer.alloc(0)
  else if (operation.kind === 'truncate') {
    const cut = Buffer.alloc(operation.size)
    file.data.copy(cut)
    file.data = cut
  } else if (operation.kind === 'write') {
    const data = fate === 'torn' ? plan.tear(operation.data) : operation.data
    const grown = Buffer.alloc(Math.max(file.data.length, operation.at + data.length))
    file.data.copy(grown)
    data.copy(grown, operation.at)
    file.data = grown
  }
}

function treeOf(root: Inode & { kind: 'dir' }): Tree {
  const tree: Tree = new Map()
  const visit = (dir: Inode & { kind: 'dir' }, below: string): void => {
    for (const [name, inode] of [...dir.names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const path = below === '' ? name : `${below}/${name}`
      if (inode.kind === 'dir') {
        tree.set(path, { kind: 'dir' })
        visit(inode, path)
      } else if (inode.kind === 'link') tree.set(path, { kind: 'link', target: inode.target })
      else tree.set(path, { kind: 'file', data: inode.data })
    }
  }
  visit(root, '')
  return tree
}
