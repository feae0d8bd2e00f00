/** The changes of a call in a file: unified, or side by side and as wide as the list. */
import { useContext, useMemo } from 'react'
import { DiffLayoutContext } from '../../../diff/diff-layout.ts'
import { PatchView } from '../../../diff/patch-view.tsx'
import { counted } from '../../../primitives/format.ts'
import { CopyButton, TextButton } from '../../../primitives/index.ts'
import { useFold } from '../../fold-state.ts'

/** A longer diff is laid out at its full height only on request, since that causes a visible delay. */
const shownLinesMax = 200
/** One that is longer yet is only read in its box, which lays out what is in view. */
const wholeLinesMax = 4_000

export function CallDiff(props: { patch: string; path: string; foldKey: string }) {
  const { patch, path, foldKey } = props
  const { layout, onChange } = useContext(DiffLayoutContext)
  const [whole, toggleWhole] = useFold(foldKey)
  const lines = useMemo(() => patch.split('\n').length, [patch])
  const isLong = lines > shownLinesMax
  const isSplit = layout === 'split'
  return (
    <div className={isSplit ? 'list-width' : undefined}>
      <div data-aside className="flex items-center gap-x-3 text-small">
        {onChange ? (
          <TextButton onClick={() => onChange(isSplit ? 'unified' : 'split')}>
            {isSplit ? 'Unified' : 'Side by side'}
          </TextButton>
        ) : null}
        {isLong && lines <= wholeLinesMax ? (
          <TextButton aria-expanded={whole} onClick={toggleWhole}>
            {whole ? 'Show less' : `Show all ${counted(lines, 'line')}`}
          </TextButton>
        ) : null}
        <span className="flex-1" />
        <CopyButton label="Copy diff" text={patch} />
      </div>
      <PatchView patch={patch} path={path} layout={layout} grows={!isLong || whole} />
    </div>
  )
}
