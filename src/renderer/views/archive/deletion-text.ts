import type { TrashEntry } from '../../../shared/contract/retention.ts'
import { counted } from '../../components/primitives/format.ts'
import type { Confirmation } from '../../store/window/overlay.ts'

/** The question before items of the trash are permanently deleted: what is lost, and what stays. */
export function deletionText(entries: readonly TrashEntry[]): Omit<Confirmation, 'run'> {
  const [first] = entries
  const only = entries.length === 1 ? first : undefined
  const lost = losses.flatMap(({ kind, text }) => {
    const ofKind = entries.filter((entry) => entry.kind === kind)
    return ofKind.length === 0 ? [] : [text(ofKind)]
  })
  const hasReport = entries.some(({ kind }) => kind === 'trashed-transcript')
  return {
    title: only
      ? 'Permanently delete this?'
      : `Permanently delete ${counted(entries.length, 'item')}?`,
    action: 'Delete permanently',
    doing: 'delete it from the trash',
    danger: true,
    items: entries.map(({ title }) => title),
    text: `${lost.join(' ')} This can’t be undone.`,
    ...(hasReport && {
      kept: 'Reports and patches of agents whose transcripts expired stay in the archive.',
    }),
  }
}

const losses: { kind: TrashEntry['kind']; text(entries: readonly TrashEntry[]): string }[] = [
  {
    kind: 'trashed-workspace',
    text(entries) {
      const agents = entries.reduce((sum, { count }) => sum + (count ?? 1), 0)
      return `The transcripts, reports and patches of ${counted(agents, 'agent')} are lost${agents > entries.length ? ', sub-agents included' : ''}.`
    },
  },
  {
    kind: 'trashed-transcript',
    text: (entries) =>
      entries.length === 1
        ? 'The transcript is lost.'
        : `${counted(entries.length, 'transcript')} are lost.`,
  },
  {
    kind: 'trashed-worktree',
    text: (entries) =>
      `Files that an agent left in ${entries.length === 1 ? 'its worktree' : `${entries.length} worktrees`}, and that are in no patch, are lost.`,
  },
  {
    kind: 'trashed-file',
    text: (entries) =>
      entries.length === 1
        ? 'A file that Shiplog set aside is lost.'
        : `${counted(entries.length, 'file')} that Shiplog set aside are lost.`,
  },
]
