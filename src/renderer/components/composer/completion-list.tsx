import { FileText } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { classNames } from '../primitives/class-names.ts'
import type { Completion } from './use-completion.ts'

/** The completion options, above or below the field, which keeps the focus. */
export function CompletionList(props: { completion: Completion; below?: boolean }) {
  const { completion, below = false } = props
  const { options, kind, active, listId, choose, setActive } = completion
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  if (options === null) return null
  const isFile = kind === 'file'
  return (
    <div
      className={classNames(
        'absolute inset-x-0 z-30 overflow-hidden rounded-md bg-raised text-ui text-ink shadow-popup',
        below ? 'top-full mt-1' : 'bottom-full mb-1',
      )}
    >
      {options.length === 0 ? (
        <p className="px-3 py-2 text-muted">No matching files.</p>
      ) : (
        <div
          ref={list}
          id={listId}
          role="listbox"
          aria-label={isFile ? 'Files' : 'Commands'}
          className="max-h-60 overflow-auto p-1"
        >
          {options.map(({ id, label, detail }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <div
              key={id}
              id={id}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setActive(index)}
              onClick={() => choose(index)}
              className={classNames(
                'flex h-7 items-center gap-2 rounded-sm px-2 select-none [&>svg]:size-3.5 [&>svg]:shrink-0 [&>svg]:text-muted',
                index === active && 'bg-hover forced-colors:outline',
              )}
            >
              {isFile ? <FileText aria-hidden /> : null}
              <span
                className={classNames(
                  'untrusted shrink-0',
                  isFile ? 'max-w-[60%] truncate' : 'w-28 font-mono text-code',
                )}
              >
                {label}
              </span>
              <span
                className={classNames(
                  'untrusted min-w-0 flex-1 truncate text-small text-muted',
                  isFile && 'text-right',
                )}
              >
                {detail}
              </span>
            </div>
          ))}
        </div>
      )}
      <p className="border-t px-3 py-1 text-small text-muted">
        {isFile ? 'Enter to insert the file, Esc to close' : 'Enter to run it, Esc to close'}
      </p>
    </div>
  )
}
