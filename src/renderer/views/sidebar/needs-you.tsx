import { StatusIcon, TitleText } from '../../components/primitives/index.ts'
import { useQuestions, useRoute } from '../../store/hooks.ts'
import { formatRoute, taskRoute } from '../../store/route.ts'

/** Everything that waits for the person, the oldest first. Not shown while there is nothing. */
export function NeedsYou() {
  const questions = useQuestions()
  const route = useRoute()
  if (questions.length === 0) return null
  return (
    <section aria-label="Needs you" className="flex max-h-[40%] shrink-0 flex-col border-b">
      <h2 className="flex h-8 shrink-0 items-center gap-1.5 px-4 text-small font-semibold text-muted">
        Needs you
        <span className="tabular rounded-sm bg-amber-tint px-1 font-normal text-amber">
          {questions.length}
        </span>
      </h2>
      <ul className="min-h-0 overflow-y-auto pb-1">
        {questions.map(({ id, taskId, chain, text }) => (
          <li key={id}>
            <a
              href={formatRoute(taskRoute(taskId))}
              aria-current={route.screen === 'task' && route.taskId === taskId ? 'page' : undefined}
              className="focus-inset flex h-11 items-center gap-2 px-4 hover:bg-hover aria-[current]:bg-accent-tint"
            >
              <StatusIcon status="waiting" decorative />
              <span className="min-w-0 flex-1">
                <TitleText title={chain.at(-1)?.title ?? ''} />
                <code className="untrusted block truncate font-mono text-small text-muted">
                  {text.split('\n', 1)[0]}
                </code>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
