/** The direction of a page that is being loaded. */
export type Paging = 'older' | 'newer' | 'jump' | null

export function PagingNote({ paging }: { paging: Paging }) {
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-2 flex justify-center">
      {paging ? (
        <span
          aria-hidden={paging === 'jump'}
          // A jump is usually done before this shows.
          className="transition-opacity delay-300 starting:opacity-0 rounded-md bg-raised px-2 py-0.5 text-small text-muted shadow-popup"
        >
          {pagingTexts[paging]}
        </span>
      ) : null}
    </div>
  )
}

const pagingTexts = {
  older: 'Loading earlier entries…',
  newer: 'Loading later entries…',
  jump: 'Loading entries…',
}
