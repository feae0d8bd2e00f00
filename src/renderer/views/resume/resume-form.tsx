import {
  type FormEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { DriftConflict } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ResumeChoice, ResumeSelector } from '../../../shared/records/resume.ts'
import { agentsAtOnceDefault, agentsAtOnceMax } from '../../../shared/records/tasks/tree-options.ts'
import {
  Button,
  DialogBody,
  DialogDescription,
  Field,
  TextInput,
} from '../../components/primitives/index.ts'
import { CandidateList } from '../../components/resume/candidate-list.tsx'
import { unknownCallsNote } from '../../components/resume/drift-view.tsx'
import type { Problem } from '../../rpc/problem.ts'
import { useHostSince, useLedger, useStores, useUnreachable } from '../../store/hooks.ts'
import { isResumable, resumableBelow, stoppedAt } from '../../store/resume/resumable.ts'
import { resumableGroup } from '../../store/resume/resumable-group.ts'
import type { ResumeTarget } from '../../store/window/overlay.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import {
  type CandidateRow,
  type ChoiceCounts,
  type Choices,
  countChoices,
  firstChoices,
  needsDecision,
  onlyTopmost,
  type PlannedAgent,
  resumeActionLabel,
  resumeSummary,
  rowsFor,
  sentChoices,
  withChoice,
} from './choices.ts'
import { type ResumeScope, ScopeChoice } from './scope-choice.tsx'
import { useResumeActions } from './use-resume-actions.ts'

export function ResumeForm(props: {
  target: ResumeTarget
  selector: ResumeSelector
  agents: PlannedAgent[]
  checked: number
  complete: boolean
  /** Why not all of them could be checked. */
  checkProblem: Problem | null
  first: ResumeChoice
  scope: ResumeScope
  onScope(scope: ResumeScope): void
  /** The choice for the topmost agent, and how many agents have each choice. */
  onCounts(top: ResumeChoice, counts: ChoiceCounts): void
  onCheckAgain(): void
}) {
  const { target, selector, agents, checked, complete, checkProblem, first, scope, onScope } = props
  const { onCounts } = props
  const { client, overlay } = useStores()
  const { confirm } = useResumeActions()
  // Updated in place, but the fields that are read here do not change while the dialog is open.
  const tasks = useLedger(({ ledger }) => ledger.tasks)
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const hostSince = useHostSince()
  const activity = useLedger((view) => view.activity)
  const all = rowsFor(agents, target, tasks, hostSince, activity)
  const scopes = useScopes(target)
  /** Null until the user chooses; until then the choices follow from the checks. */
  const [chosen, setChosen] = useState<Choices | null>(null)
  const [atOnce, setAtOnce] = useState(agentsAtOnceDefault)
  const confirmButton = useRef<HTMLButtonElement>(null)
  const cancelButton = useRef<HTMLButtonElement>(null)
  const formId = useId()

  const wanted = withoutBlocked(chosen ?? firstChoices(all, first, tasks), all)
  const rows = scope === 'one' ? all.slice(0, 1) : all
  const { included, choices } =
    scope === 'one' ? onlyTopmost(all, wanted) : { included: rows, choices: wanted }
  const counts = countChoices(included, choices)
  const nothing = counts.resume + counts.restart + counts.abandon === 0
  const isAtOnceInvalid = !Number.isInteger(atOnce) || atOnce < 1 || atOnce > agentsAtOnceMax
  const alone = rows.length === 1 && target.of === 'task' && all.length === 1
  const [only] = rows
  const isTopAsked = target.of === 'task' && all[0]?.candidate.taskId === target.taskId
  const top = (isTopAsked && only && choices[only.candidate.taskId]) || first
  // Restarting and abandoning do not depend on what has changed.
  const disabled = nothing || isAtOnceInvalid || lost || counts.unchecked > 0
  // The dialog above shows the title. A layout effect, so that title and choices are painted together.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counts by their values
  useLayoutEffect(() => onCounts(top, counts), [top, ...Object.values(counts)])
  useFirstFocus(
    { ready: counts.unchecked === 0, hasConflicts: counts.conflicting > 0 },
    confirmButton,
    cancelButton,
  )

  const act = () => {
    const started = rows.flatMap(({ candidate: { taskId } }) =>
      ['resume', 'restart'].includes(choices[taskId] ?? 'resume') ? [taskId] : [],
    )
    void confirm({
      target,
      started,
      request: {
        selector,
        force: counts.conflicting > 0,
        choices: sentChoices(agents, included, choices),
        ...(target.of === 'all' ? { agentsAtOnce: atOnce } : {}),
      },
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!disabled) act()
  }
  const restart = (taskId: TaskId) =>
    void confirm({
      target,
      started: [taskId],
      request: { selector, force: false, choices: { [taskId]: 'restart' } },
    })
  const choose = (taskId: TaskId, choice: ResumeChoice) =>
    setChosen(withChoice(wanted, all, taskId, choice, tasks))
  const loadDiff = async (taskId: TaskId, { path, blobs }: DriftConflict): Promise<string> =>
    blobs ? (await client.tasks.changedFileDiff({ taskId, path, blobs })).patch : ''

  return (
    <DialogBody
      footer={
        <>
          <CheckProgress checked={checked} count={agents.length} complete={complete} />
          <Button ref={cancelButton} onClick={overlay.hide}>
            Cancel
          </Button>
          {alone && only && only.candidate.status === 'interrupted' && !only.candidate.obstacle ? (
            <Button
              disabled={lost}
              title={unreachable ?? 'Restarts from the beginning; its record so far is kept'}
              onClick={() => restart(only.candidate.taskId)}
            >
              Restart
            </Button>
          ) : null}
          <Button
            ref={confirmButton}
            variant="primary"
            // With conflicts only the button itself confirms, not Enter in a field.
            {...(counts.conflicting > 0
              ? { type: 'button', onClick: act }
              : { type: 'submit', form: formId })}
            disabled={disabled}
            title={unreachable}
          >
            {resumeActionLabel(counts)}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4 p-4">
        {checkProblem ? (
          <ProblemNotice
            problem={checkProblem}
            action={{ label: 'Try again', onClick: props.onCheckAgain }}
          />
        ) : null}
        <DialogDescription className="untrusted text-read">
          {resumeSummary(counts)}
          {hasUnknownCalls(rows, choices) ? ` ${unknownCallsNote}` : ''}
        </DialogDescription>
        {scopes.length > 1 ? (
          <ScopeChoice
            // An agent without sub-agents has no option 'tree'.
            value={scopes.some(({ value }) => value === scope) ? scope : 'one'}
            options={scopes}
            onChange={onScope}
          />
        ) : null}
        {target.of === 'all' && counts.resume > 1 ? (
          <Field
            label="Max. parallel agents"
            hint="The others wait for their turn."
            error={isAtOnceInvalid ? `A whole number from 1 to ${agentsAtOnceMax}.` : null}
            className="w-56"
          >
            <TextInput
              type="number"
              min={1}
              max={agentsAtOnceMax}
              value={atOnce}
              onChange={(event) => setAtOnce(Number(event.target.value))}
            />
          </Field>
        ) : null}
        <CandidateList
          rows={inShownOrder(rows).map((row) => {
            const { taskId, title, parentId } = row.candidate
            const task = tasks.get(taskId)
            const isAmbiguous = rows.filter(({ candidate }) => candidate.title === title).length > 1
            return {
              ...row,
              choice: choices[taskId] ?? 'resume',
              stoppedAt: task ? stoppedAt(task) : null,
              cause: task?.cause ?? null,
              parentTitle: isAmbiguous && parentId ? (tasks.get(parentId)?.title ?? null) : null,
              open: needsDecision(row) || isMissingFiles(row),
            }
          })}
          onChoose={alone ? undefined : choose}
          loadDiff={loadDiff}
        />
      </form>
    </DialogBody>
  )
}

/** What could be resumed with the requested agent when the dialog opened. */
function useScopes(target: ResumeTarget) {
  const { ledger } = useStores().ledger.store.getState()
  const [scopes] = useState(() => {
    if (target.of === 'all') return []
    const below = resumableBelow(ledger.tasks, target.taskId).length
    const task = ledger.tasks.get(target.taskId)
    const isSelf = task !== undefined && isResumable(ledger.tasks, task)
    const group = resumableGroup(ledger, target.taskId).length
    const options: { value: ResumeScope; label: string }[] = []
    if (below > 0 && isSelf) options.push({ value: 'tree', label: `Whole tree (${below + 1})` })
    if (isSelf) options.push({ value: 'one', label: 'Only this agent' })
    if (group > 0) options.push({ value: 'group', label: `Parallel group (${group})` })
    return options
  })
  return scopes
}

/** Agents that need a decision first, as a flat list, then the others as a tree. */
function inShownOrder(rows: CandidateRow[]): CandidateRow[] {
  const urgent = rows.filter(needsDecision)
  if (urgent.length === 0 || urgent.length === rows.length) return rows
  const others = rows.filter((row) => !needsDecision(row))
  return [...urgent.map((row) => ({ ...row, depth: 0 })), ...others]
}

/** Changes the choice for agents that can't be resumed from resume to leave. */
function withoutBlocked(choices: Choices, rows: CandidateRow[]): Choices {
  const blocked = rows.filter(
    ({ candidate: { taskId, obstacle } }) =>
      obstacle !== null && (choices[taskId] ?? 'resume') === 'resume',
  )
  return blocked.length === 0
    ? choices
    : ({
        ...choices,
        ...Object.fromEntries(blocked.map(({ candidate }) => [candidate.taskId, 'leave'])),
      } as Choices)
}

const hasUnknownCalls = (rows: CandidateRow[], choices: Choices): boolean =>
  rows.some(
    ({ candidate: { taskId, drift } }) =>
      (choices[taskId] ?? 'resume') === 'resume' && (drift?.unknownCalls.length ?? 0) > 0,
  )

/** What is missing is shown unfolded, because work may be lost. */
const isMissingFiles = ({ candidate: { drift } }: CandidateRow): boolean =>
  drift !== null && drift.missing.length > 0

function CheckProgress(props: { checked: number; count: number; complete: boolean }) {
  const { checked, count, complete } = props
  if (complete || checked >= count) return null
  return (
    <p role="status" className="tabular mr-auto text-small text-muted">
      {count === 1 ? 'Checking what changed…' : `Checking ${checked + 1} of ${count}…`}
    </p>
  )
}

/** Focuses the confirm button once all agents were checked, or Cancel if there are conflicts, so that Enter is safe. */
function useFirstFocus(
  { ready, hasConflicts }: { ready: boolean; hasConflicts: boolean },
  confirm: RefObject<HTMLButtonElement | null>,
  cancel: RefObject<HTMLButtonElement | null>,
): void {
  const latestHasConflicts = useRef(hasConflicts)
  latestHasConflicts.current = hasConflicts
  useEffect(() => {
    if (!ready) return
    // After the dialog has taken the focus itself, and never from something that the user is using.
    const frame = requestAnimationFrame(() => {
      const { activeElement } = document
      if (activeElement?.closest('form, button, [role="listbox"]')) return
      ;(latestHasConflicts.current ? cancel : confirm).current?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [ready, confirm, cancel])
}
