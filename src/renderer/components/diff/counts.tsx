/** +/− counts; a zero side is omitted. */
export function Counts({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span className="tabular flex shrink-0 gap-1.5 font-mono text-small">
      {additions > 0 ? (
        <span className="text-green">
          <span aria-hidden>+{additions}</span>
          <span className="sr-only">{additions} added</span>
        </span>
      ) : null}
      {deletions > 0 ? (
        <span className="text-red">
          <span aria-hidden>−{deletions}</span>
          <span className="sr-only">{deletions} removed</span>
        </span>
      ) : null}
    </span>
  )
}
