/** The options of the archive's filters and sort order. */
import type { ArchiveSortKey } from './archive-index.ts'
import type { ArchiveShow, ArchiveStatus } from './archive-rows.ts'

export const statuses: { value: ArchiveStatus; label: string }[] = [
  { value: 'all', label: 'Any status' },
  { value: 'completed', label: 'Completed' },
  { value: 'interrupted', label: 'Interrupted' },
  { value: 'failed', label: 'Failed' },
  { value: 'cancelled', label: 'Cancelled' },
  { value: 'abandoned', label: 'Abandoned' },
  { value: 'running', label: 'Running' },
  { value: 'queued', label: 'Queued' },
  { value: 'blocked', label: 'Blocked' },
]

/** The trash is a screen of its own, which is chosen here as well. */
export const shows: { value: ArchiveShow | 'trash'; label: string }[] = [
  { value: 'archived', label: 'Archived' },
  { value: 'live', label: 'Live' },
  { value: 'pinned', label: 'Pinned' },
  { value: 'expiring', label: 'Next clean-up' },
  { value: 'all', label: 'All' },
  { value: 'trash', label: 'Trash' },
]

export const sorts: { value: ArchiveSortKey; label: string }[] = [
  { value: 'tree', label: 'By project' },
  { value: 'ended', label: 'Last active' },
  { value: 'started', label: 'Started' },
  { value: 'title', label: 'Title' },
  { value: 'agent', label: 'Agent' },
  { value: 'model', label: 'Model' },
  { value: 'status', label: 'Status' },
  { value: 'runs', label: 'Runs' },
  { value: 'entries', label: 'Entries' },
  { value: 'size', label: 'Size' },
  { value: 'cost', label: 'Cost' },
  { value: 'project', label: 'Project name' },
]
