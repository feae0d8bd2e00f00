import { ChevronRight, FileX } from 'lucide-react'
import { useState } from 'react'
import { type NotStoredPath, notStoredMax } from '../../../shared/records/entry-types/files.ts'
import { notStoredReason } from '../../../shared/text/not-stored-text.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { bytes, counted } from '../primitives/format.ts'

/** More paths would push the files of the moment out of view. */
const shownAtFirstMax = 5

/** Lists paths that existed at the moment but whose content was not stored, with the reasons. */
export function NotRecorded({ paths }: { paths: readonly NotStoredPath[] }) {
  const [open, setOpen] = useState(paths.length <= shownAtFirstMax)
  if (paths.length === 0) return null
  const atLeast = paths.length >= notStoredMax ? 'At least ' : ''
  return (
    <section aria-label="Not recorded" className="mt-2 border-t py-1">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="focus-inset flex min-h-7 w-full min-w-0 items-center gap-2 px-3 text-left text-muted hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={`size-3.5 shrink-0 text-faint transition-transform ${open ? 'rotate-90' : ''}`}
        />
        {atLeast}
        {counted(paths.length, 'path')} not recorded
      </button>
      {open ? (
        <ul>
          {paths.map(({ path, why, bytes: size }) => (
            <li key={path} className="flex min-w-0 gap-2 py-1 pr-3 pl-3">
              <FileX aria-hidden className="mt-0.5 size-3.5 shrink-0 text-faint" />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-mono text-code" title={visibleText(path)}>
                  {visibleText(path)}
                </span>
                <span className="block text-small text-muted">{notStoredReason({ why })}</span>
              </span>
              {size === null ? null : (
                <span className="tabular shrink-0 text-small text-muted">{bytes(size)}</span>
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  )
}
