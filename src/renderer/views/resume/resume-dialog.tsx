import { useLayoutEffect, useState } from 'react'
import type { ResumeCandidate, ResumeChoice } from '../../../shared/records/resume.ts'
import { Button, DialogBody, DialogShell, Skeleton } from '../../components/primitives/index.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { resumableBelow } from '../../store/resume/resumable.ts'
import type { ResumeAsk } from '../../store/window/overlay.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { type ChoiceCounts, groupResumeTitle, resumeTitle } from './choices.ts'
import { selectorFor } from './resume-actions.ts'
import { ResumeForm } from './resume-form.tsx'
import type { ResumeScope } from './scope-choice.tsx'
import { useResumePlan } from './use-resume-plan.ts'

/** What has changed since, before anything is resumed: resume, restart, abandon, or leave everything as it is (S2). */
export function ResumeDialog(props: {
  ask: ResumeAsk
  found?: ResumeCandidate[]
  choice?: ResumeChoice
}) {
  const { found, choice = 'resume' } = props
  const { overlay } = useStores()
  const [scope, setScope] = useState<ResumeScope>(props.ask.of === 'group' ? 'group' : 'tree')
  const ask = askWithin(props.ask, scope)
  // The given plan and choice belong to the scope at first.
  const asAsked = ask.of === props.ask.of
  return (
    <AskedResume
      key={ask.of}
      ask={ask}
      found={asAsked ? found : undefined}
      choice={asAsked ? choice : 'resume'}
      scope={scope}
      onScope={setScope}
      onClose={overlay.hide}
    />
  )
}

function AskedResume(props: {
  ask: ResumeAsk
  found: ResumeCandidate[] | undefined
  choice: ResumeChoice
  scope: ResumeScope
  onScope(scope: ResumeScope): void
  onClose(): void
}) {
  const { ask, found, choice, scope, onScope, onClose } = props
  const title = useLedger(({ ledger }) =>
    ask.of === 'all' ? null : (ledger.tasks.get(ask.taskId)?.title ?? ''),
  )
  const nameFor = (top: ResumeChoice, counts: ChoiceCounts) =>
    ask.of === 'group' ? groupResumeTitle(title ?? '', counts) : resumeTitle(title, top, counts)
  const [name, setName] = useState(nameFor(choice, nothingChosen))
  // Fixed when the dialog opens: an agent that ends meanwhile does not change what is planned.
  const hasBelow = useHasBelow(ask)
  const [selector] = useState(() => selectorFor(ask, hasBelow))
  const plan = useResumePlan(selector, found)
  const { agents, problem } = plan

  return (
    <DialogShell open onClose={onClose} title={name} size="medium" focus="dialog" bare>
      {agents ? (
        <ResumeForm
          ask={ask}
          selector={selector}
          agents={agents}
          checked={plan.checked}
          complete={plan.complete}
          checkProblem={problem}
          first={choice}
          onCounts={(top, counts) => setName(nameFor(top, counts))}
          scope={scope}
          onScope={onScope}
          onCheckAgain={plan.checkAgain}
        />
      ) : (
        <DialogBody footer={<Button onClick={onClose}>Cancel</Button>}>
          <div className="p-4" aria-busy={problem === null}>
            {problem ? (
              <ProblemNotice
                problem={problem}
                action={{ label: 'Try again', onClick: plan.checkAgain }}
              />
            ) : (
              <Loading />
            )}
          </div>
        </DialogBody>
      )}
    </DialogShell>
  )
}

/** Everything has no scope to choose; an agent and its parallel group can be exchanged for each other. */
function askWithin(ask: ResumeAsk, scope: ResumeScope): ResumeAsk {
  if (ask.of === 'all') return ask
  return { of: scope === 'group' ? 'group' : 'task', taskId: ask.taskId }
}

const nothingChosen: ChoiceCounts = {
  resume: 0,
  restart: 0,
  abandon: 0,
  leave: 0,
  conflicting: 0,
  unchecked: 0,
}

/** The host usually answers sooner, so that no loading text appears for a moment. */
const loadingShownAfterMs = 300

function Loading() {
  const [shown, setShown] = useState(false)
  useLayoutEffect(() => {
    const timer = setTimeout(() => setShown(true), loadingShownAfterMs)
    return () => clearTimeout(timer)
  }, [])
  if (!shown) return null
  return (
    <>
      <p role="status" className="mb-3 text-muted">
        Checking what changed since it stopped…
      </p>
      <Skeleton lines={4} />
    </>
  )
}

const useHasBelow = (ask: ResumeAsk): boolean =>
  useLedger(
    ({ ledger }) => ask.of === 'task' && resumableBelow(ledger.tasks, ask.taskId).length > 0,
  )
