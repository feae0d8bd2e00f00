import { useRoute } from '../../store/hooks.ts'
import { NeedLink } from './need-link.tsx'
import { useNeedsYou } from './use-needs-you.ts'

/** Everything that waits for the user, the oldest first. Not shown while there is nothing. */
export function NeedsYou() {
  const needs = useNeedsYou()
  const route = useRoute()
  if (needs.length === 0) return null
  return (
    <section aria-label="Needs you" className="flex max-h-[30%] shrink-0 flex-col border-b">
      <h2 className="flex h-8 shrink-0 items-center gap-1.5 px-4 text-small font-semibold text-muted">
        Needs you
        <span className="tabular rounded-sm bg-amber-tint px-1 font-normal text-amber">
          {needs.length}
        </span>
      </h2>
      <ul className="min-h-0 overflow-y-auto pb-1">
        {needs.map((need) => (
          <li key={need.key}>
            <NeedLink
              need={need}
              current={route.screen === 'task' && route.taskId === need.taskId}
              className="h-11 gap-2 px-4"
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
