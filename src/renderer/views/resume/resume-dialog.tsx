import { useLayoutEffect, useState } from 'react'
import type { ResumeCandidate, ResumeChoice } from '../../../shared/records/resume.ts'
import { Button, DialogBody, DialogShell, Skeleton } from '../../components/primitives/index.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { resumableBelow } from '../../store/resume/resumable.ts'
import type { ResumeTarget } from '../../store/window/overlay.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { type ChoiceCounts, groupResumeTitle, resumeTitle } from './choices.ts'
import { selectorFor } from './resume-actions.ts'
import { ResumeForm } from './resume-form.tsx'
import type { ResumeScope } from './scope-choice.tsx'
import { useResumePlan } from './use-resume-plan.ts'

/** Shows what changed since agents stopped, and lets the user resume, restart, abandon or leave each of them (S2). */
export function ResumeDialog(props: {
  target: ResumeTarget
  found?: ResumeCandidate[]
  choice?: ResumeChoice
}) {
  const { found, choice = 'resume' } = props
  const { overlay } = useStores()
  const [scope, setScope] = useState<ResumeScope>(props.target.of === 'group' ? 'group' : 'tree')
  const target = targetWithin(props.target, scope)
  // The given plan and choice apply only to the initial scope.
  const isInitialScope = target.of === props.target.of
  return (
    <ScopedResume
      key={target.of}
      target={target}
      found={isInitialScope ? found : undefined}
      choice={isInitialScope ? choice : 'resume'}
      scope={scope}
      onScope={setScope}
      onClose={overlay.hide}
    />
  )
}

function ScopedResume(props: {
  target: ResumeTarget
  found: ResumeCandidate[] | undefined
  choice: ResumeChoice
  scope: ResumeScope
  onScope(scope: ResumeScope): void
  onClose(): void
}) {
  const { target, found, choice, scope, onScope, onClose } = props
  const title = useLedger(({ ledger }) =>
    target.of === 'all' ? null : (ledger.tasks.get(target.taskId)?.title ?? ''),
  )
  const nameFor = (top: ResumeChoice, counts: ChoiceCounts) =>
    target.of === 'group' ? groupResumeTitle(title ?? '', counts) : resumeTitle(title, top, counts)
  const [name, setName] = useState(nameFor(choice, nothingChosen))
  // Fixed when the dialog opens, so that an agent that ends does not change the plan.
  const hasBelow = useHasBelow(target)
  const [selector] = useState(() => selectorFor(target, hasBelow))
  const plan = useResumePlan(selector, found)
  const { agents, problem } = plan

  return (
    <DialogShell open onClose={onClose} title={name} size="medium" focus="dialog" bare>
      {agents ? (
        <ResumeForm
          target={target}
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

/** Switches between an agent and its parallel group. A target of all agents has no other scope. */
function targetWithin(target: ResumeTarget, scope: ResumeScope): ResumeTarget {
  if (target.of === 'all') return target
  return { of: scope === 'group' ? 'group' : 'task', taskId: target.taskId }
}

const nothingChosen: ChoiceCounts = {
  resume: 0,
  restart: 0,
  abandon: 0,
  leave: 0,
  conflicting: 0,
  unchecked: 0,
}

/** The host usually answers sooner, and the text would only flash. */
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

const useHasBelow = (target: ResumeTarget): boolean =>
  useLedger(
    ({ ledger }) => target.of === 'task' && resumableBelow(ledger.tasks, target.taskId).length > 0,
  )
