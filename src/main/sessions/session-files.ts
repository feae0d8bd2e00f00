/** Where the parts of a session lie (DESIGN, "Data directory"). The only place that spells these names. */
import { isAbsolute, join, relative, sep } from 'node:path'
import type { ProjectId, TaskId } from '../../shared/ids.ts'
import { indexFileOf } from '../journal/index.ts'

export const chatFile = 'chat.jsonl'
/** Where its records lie; disposable. The journal writes it, for a long one (../journal/FORMAT.md, "Offsets"). */
export const chatIndexFile = indexFileOf(chatFile)
export const partialFile = 'partial.json'
/** What a transcript consists of: moved together when a session is archived. */
export const transcriptParts = [
  chatFile,
  partialFile,
  'blobs',
  'file-history',
  chatIndexFile,
] as const

export interface DataLayout {
  dataDir: string
  lease: string
  ledger: string
  trash: string
  worktrees: string
  /** A folder for each command that an agent has running. */
  running: string
  demo: string
  sessionDir(id: TaskId): string
  archiveDir(rootId: TaskId): string
  /** What is kept for a project whose own folder does not take it. */
  projectDir(id: ProjectId): string
}

/** A path as the ledger holds it: what lies in the data directory is relative to it, and moves along with it. */
export function storedPath({ dataDir }: DataLayout, path: string): string {
  const below = relative(dataDir, path)
  const inside = below !== '' && !below.startsWith('..') && !isAbsolute(below)
  return inside ? below.split(sep).join('/') : path
}

export function layoutOf(dataDir: string): DataLayout {
  return {
    dataDir,
    lease: join(dataDir, 'lease.json'),
    ledger: join(dataDir, 'ledger.jsonl'),
    trash: join(dataDir, 'trash'),
    worktrees: join(dataDir, 'worktrees'),
    running: join(dataDir, 'running'),
    demo: join(dataDir, 'demo'),
    sessionDir: (id) => join(dataDir, 'sessions', id),
    archiveDir: (rootId) => join(dataDir, 'archive', rootId),
    projectDir: (id) => join(dataDir, 'projects', id),
  }
}
