/** One file's change inside a transcript. The renderer of diffs is loaded when the first is opened. */
import { Component, lazy, type ReactNode, Suspense } from 'react'
import { Skeleton } from '../primitives/index.ts'

const FilePatch = lazy(() => import('./file-patch.tsx'))

/** Above this a diff is shown as plain text: colouring it would be felt. */
const patchCharsMax = 400_000

/** `patch`: a unified diff of one file. */
export function PatchView({ patch, path }: { patch: string; path: string }) {
  const plain = <PlainPatch patch={patch} path={path} />
  if (patch.length > patchCharsMax) return plain
  return (
    <Broken fallback={plain}>
      <Suspense fallback={<Skeleton lines={4} className="py-2" />}>
        <figure
          aria-label={`Changes of ${path}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="focus-inset max-h-[480px] overflow-auto rounded-md border"
        >
          <FilePatch patch={patch} />
        </figure>
      </Suspense>
    </Broken>
  )
}

/** The patch as it was written: for what is too large, or not a patch at all. */
function PlainPatch({ patch, path }: { patch: string; path: string }) {
  return (
    <figure
      aria-label={`Changes of ${path}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="focus-inset max-h-[480px] overflow-auto rounded-md border bg-sunken px-3 py-2"
    >
      <pre className="font-mono text-code" dir="ltr">
        {patch}
      </pre>
    </figure>
  )
}

class Broken extends Component<{ fallback: ReactNode; children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }
  static getDerivedStateFromError() {
    return { broken: true }
  }
  override render() {
    return this.state.broken ? this.props.fallback : this.props.children
  }
}
