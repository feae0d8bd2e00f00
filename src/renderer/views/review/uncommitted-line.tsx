import type { TargetComparison } from '../../../shared/contract/changes/changes.ts'
import { counted } from '../../components/primitives/format.ts'
import { NoticeLine } from '../../components/primitives/index.ts'

/** Says, before it happens, that an apply merges into files with uncommitted changes. */
export function UncommittedLine(props: { comparison: TargetComparison; target: string }) {
  const { comparison, target } = props
  const conflicts = new Set(comparison.conflicts.map(({ path }) => path))
  const paths = comparison.files
    .filter(
      ({ path, state, uncommitted }) => uncommitted && state === 'open' && !conflicts.has(path),
    )
    .map(({ path }) => path)
  if (paths.length === 0) return null
  return (
    <NoticeLine
      tone="info"
      className="border-b px-4"
      text={`${counted(paths.length, 'of these files has', 'of these files have')} uncommitted changes in ${target}. An apply merges with them and keeps them.`}
      details={paths}
    />
  )
}
