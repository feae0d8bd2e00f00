import { ListTodo, Square, SquareCheck, SquareDot } from 'lucide-react'
import type { PlanItem } from '../../../../../shared/agents/agent-records.ts'
import { plainText } from '../../../../../shared/text/plain-text.ts'
import { Disclosure } from '../../disclosure.tsx'
import { planText } from '../row-name.ts'

/** The progress of the agent's plan in one line, which expands to the plan. */
export function Plan({ items, foldKey }: { items: PlanItem[]; foldKey: string }) {
  const current = items.find(({ status }) => status === 'in-progress')
  return (
    <Disclosure
      foldKey={foldKey}
      line={
        <>
          <ListTodo aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="untrusted min-w-0 truncate text-muted">
            {planText(items)}
            {current ? ` · ${plainText(current.text)}` : ''}
          </span>
        </>
      }
      body={() => (
        <ul className="ml-5.5 flex flex-col gap-0.5 py-1 text-ui text-muted">
          {items.map(({ text, status }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a recorded plan never changes, so positions identify its lines
            <li key={index} className="flex gap-2">
              <PlanMark status={status} />
              <span className="untrusted">{plainText(text)}</span>
            </li>
          ))}
        </ul>
      )}
    />
  )
}

function PlanMark({ status }: Pick<PlanItem, 'status'>) {
  const { name, Icon, colour } = planMarks[status]
  return <Icon role="img" aria-label={name} className={`mt-0.5 size-3.5 shrink-0 ${colour}`} />
}

const planMarks = {
  pending: { name: 'To do', Icon: Square, colour: 'text-faint' },
  'in-progress': { name: 'In progress', Icon: SquareDot, colour: 'text-accent' },
  completed: { name: 'Done', Icon: SquareCheck, colour: 'text-green' },
}
