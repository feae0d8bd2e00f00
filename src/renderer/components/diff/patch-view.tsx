/**
 * The change of one file inside a transcript. The diff renderer is loaded when the first one is
 * opened; until it has drawn the lines, they are shown without highlighting.
 */
import { Component, lazy, type ReactNode, Suspense } from 'react'
import type { FilePatchProps } from './file-patch.tsx'
import { PatchText } from './patch-text.tsx'

const FilePatch = lazy(() => import('./file-patch.tsx'))

/** A longer diff is shown as plain text, because highlighting it would cause a visible delay. */
const patchCharsMax = 400_000

interface PatchViewProps extends FilePatchProps {
  path: string
  /** The view is as high as its lines, and scrolls with the surrounding content. */
  grows?: boolean
  onPointerMove?(): void
}

/** `patch` is a unified diff of one file. */
export function PatchView({ path, grows = false, onPointerMove, ...shown }: PatchViewProps) {
  const { patch } = shown
  const plain = <PlainPatch patch={patch} path={path} />
  if (patch.length > patchCharsMax) return plain
  return (
    <InvalidPatchBoundary fallback={plain}>
      <figure
        aria-label={`Changes of ${path}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        onPointerMove={onPointerMove}
        className={`focus-inset overflow-auto rounded-md border ${grows ? '' : 'max-h-[480px]'}`}
      >
        <Suspense fallback={<PatchText patch={patch} />}>
          <FilePatch {...shown} />
        </Suspense>
      </figure>
    </InvalidPatchBoundary>
  )
}

/** The patch as plain text: for one that is too large, or not a valid patch. */
function PlainPatch({ patch, path }: { patch: string; path: string }) {
  return (
    <figure
      aria-label={`Changes of ${path}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className="focus-inset max-h-[480px] overflow-auto rounded-md border bg-sunken px-3 py-2"
    >
      <pre className="font-mono text-code" dir="ltr">
        {patch}
      </pre>
    </figure>
  )
}

class InvalidPatchBoundary extends Component<
  { fallback: ReactNode; children: ReactNode },
  { broken: boolean }
> {
  override state = { broken: false }
  static getDerivedStateFromError() {
    return { broken: true }
  }
  override render() {
    return this.state.broken ? this.props.fallback : this.props.children
  }
}
