import { TriangleAlert } from 'lucide-react'
import type { TargetComparison } from '../../../shared/contract/changes/changes.ts'
import { counted } from '../../components/primitives/format.ts'
import { ActionLine, Button, TextButton } from '../../components/primitives/index.ts'
import type { ChangedFile } from '../../components/review/file-tree.ts'
import type { PartialApply } from './use-apply.ts'

/** Says which files conflict, before anything is applied, and offers to apply the others. */
export function ConflictsLine(props: {
  files: readonly ChangedFile[]
  comparison: TargetComparison
  partial: PartialApply
  onShow(file: ChangedFile): void
}) {
  const { files, comparison, partial, onShow } = props
  const conflicts = new Set(comparison.conflicts.map(({ path }) => path))
  const applied = new Set(
    comparison.files.filter(({ state }) => state === 'applied').map(({ path }) => path),
  )
  const others = files.filter(({ path }) => !conflicts.has(path) && !applied.has(path))
  const first = files.find(({ path }) => conflicts.has(path))
  return (
    <div className="border-b px-4 py-1.5">
      <ActionLine
        label="Conflicts"
        look="attention"
        icon={<TriangleAlert aria-hidden className="text-amber" />}
        actions={
          others.length > 0 ? (
            <Button
              size="small"
              busy={partial.applying}
              disabled={partial.notNow !== null}
              title={partial.notNow ?? undefined}
              onClick={() => partial.apply(others.map(({ path }) => ({ path })))}
            >
              Apply the other {counted(others.length, 'file')}
            </Button>
          ) : null
        }
      >
        <span className="untrusted">
          {counted(conflicts.size, 'file conflicts', 'files conflict')} with {partial.target}.{' '}
        </span>
        {first ? <TextButton onClick={() => onShow(first)}>Show</TextButton> : null}
      </ActionLine>
    </div>
  )
}
