import type { ReceiptItem, RemovedItem } from '../../../shared/contract/retention.ts'
import { exactCount } from '../primitives/format.ts'
import { Bytes, RelativeTime, TitleText } from '../primitives/index.ts'

/** Enough for a page that is scrolled by hand; a receipt file has all of them. */
const shownMax = 200

/** Removed items, or items to remove, with reasons, one line each. */
export function RemovedList(props: { id?: string; items: (RemovedItem | ReceiptItem)[] }) {
  const { id, items } = props
  const more = items.length - shownMax
  return (
    <section
      id={id}
      aria-label="Details"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className="focus-inset max-h-60 overflow-y-auto rounded-md border text-small"
    >
      <ul>
        {items.slice(0, shownMax).map((item) => (
          <li
            key={`${item.kind} ${item.id}`}
            className="flex min-h-7 items-center gap-3 border-b px-2 last:border-b-0"
          >
            <TitleText title={item.title} className="min-w-0 flex-1" />
            <span className="hidden shrink-0 text-muted sm:inline">{whyOf(item)}</span>
            {item.lastActiveAt ? (
              <RelativeTime
                at={item.lastActiveAt}
                className="w-16 shrink-0 text-right text-muted"
              />
            ) : null}
            <Bytes count={item.bytes} className="w-16 shrink-0 text-right text-muted" />
          </li>
        ))}
        {more > 0 ? (
          <li className="flex min-h-7 items-center px-2 text-muted">and {exactCount(more)} more</li>
        ) : null}
      </ul>
    </section>
  )
}

function whyOf(item: RemovedItem | ReceiptItem): string {
  const state = 'state' in item ? states[item.state] : null
  return [reasons[item.reason], state].filter((text) => text !== null).join(' · ')
}

const reasons: Record<RemovedItem['reason'], string> = {
  age: 'inactive for too long',
  count: 'over the limit',
  bytes: 'over the size limit',
  trash: 'expired in the trash',
  'trash-bytes': 'the trash was full',
  person: 'deleted by you',
}

const states: Record<ReceiptItem['state'], string> = {
  'in-trash': 'in the trash',
  restored: 'restored',
  kept: 'kept',
  gone: 'permanently deleted',
}
