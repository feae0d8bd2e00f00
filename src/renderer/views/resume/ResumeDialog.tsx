import {
  type FormEvent,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { TaskId } from '../../../shared/ids.ts'
import type { ResumeCandidate, ResumeChoice } from '../../../shared/resume.ts'
import { agentsAtOnceDefault, agentsAtOnceMax } from '../../../shared/tasks.ts'
import {
  Button,
  DialogBody,
  DialogDescription,
  DialogShell,
  Field,
  Skeleton,
  TextInput,
} from '../../components/primitives/index.ts'
import { CandidateList } from '../../components/resume/candidate-list.tsx'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useHostSince, useLedger, useStores, useUnreachable } from '../../store/hooks.ts'
import type { ResumeAsk } from '../../store/overlay.ts'
import { resumableBelow, stoppedAt } from '../../store/resumable.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'
import {
  actWords,
  type ChoiceCounts,
  type Choices,
  countChoices,
  firstChoices,
  rowsFor,
  sentChoices,
  summaryWords,
  titleWords,
  withChoice,
} from './choices.ts'
import { problemOfOutcome, selectorFor } from './resume-actions.ts'
import { useResumeActions } from './use-resume-actions.ts'

type Plan =
  | { phase: 'looking' }
  | { phase: 'failed'; problem: Problem }
  | { phase: 'ready'; found: ResumeCandidate[] }

/** What has changed since, before anything goes on: continue, start fresh, or leave everything as it is (S2). */
export function ResumeDialog(props: {
  ask: ResumeAsk
  found?: ResumeCandidate[]
  choice?: ResumeChoice
}) {
  const { ask, found, choice = 'resume' } = props
  const { client, overlay } = useStores()
  const [plan, setPlan] = useState<Plan>(found ? { phase: 'ready', found } : { phase: 'looking' })
  const title = useLedger(({ ledger }) =>
    ask.of === 'task' ? (ledger.tasks.get(ask.taskId)?.title ?? '') : null,
  )
  const [name, setName] = useState(titleWords(title, choice, nothingChosen))
  // As it is now: what ends while the dialog is open changes nothing of what was asked.
  const [hasBelow] = useState(useHasBelow(ask))
  const look = useCallback(async () => {
    setPlan({ phase: 'looking' })
    try {
      const { candidates } = await client.tasks.planResume({ selector: selectorFor(ask, hasBelow) })
      setPlan({ phase: 'ready', found: candidates })
    } catch (error) {
      setPlan({ phase: 'failed', problem: problemOf(error, 'find out what has changed') })
    }
  }, [client, ask, hasBelow])
  const known = found !== undefined
  useEffect(() => {
    if (!known) void look()
  }, [known, look])

  return (
    <DialogShell open onClose={overlay.hide} title={name} size="medium" focus="dialog" bare>
      {plan.phase === 'ready' ? (
        <Found
          ask={ask}
          found={plan.found}
          first={choice}
          onCounts={(top, counts) => setName(titleWords(title, top, counts))}
          onLookAgain={() => void look()}
        />
      ) : (
        <DialogBody footer={<Button onClick={overlay.hide}>Cancel</Button>}>
          <div className="p-4" aria-busy={plan.phase === 'looking'}>
            {plan.phase === 'looking' ? (
              <>
                <p role="status" className="mb-3 text-muted">
                  Looking at what has changed since…
                </p>
                <Skeleton lines={4} />
              </>
            ) : (
              <ProblemNotice
                problem={plan.problem}
                action={{ label: 'Try again', onClick: () => void look() }}
              />
            )}
          </div>
        </DialogBody>
      )}
    </DialogShell>
  )
}

const nothingChosen: ChoiceCounts = { resume: 0, fresh: 0, abandon: 0, leave: 0, conflicting: 0 }

const useHasBelow = (ask: ResumeAsk): boolean =>
  useLedger(
    ({ ledger }) => ask.of === 'task' && resumableBelow(ledger.tasks, ask.taskId).length > 0,
  )

function Found(props: {
  ask: ResumeAsk
  found: ResumeCandidate[]
  first: ResumeChoice
  /** What is chosen for the topmost one, and for how many what. */
  onCounts(top: ResumeChoice, counts: ChoiceCounts): void
  onLookAgain(): void
}) {
  const { ask, found, first, onCounts, onLookAgain } = props
  const { client, overlay } = useStores()
  const { resumed, startFresh } = useResumeActions()
  // Changes in place; what it says of these few is the same for as long as the dialog is open.
  const tasks = useLedger(({ ledger }) => ledger.tasks)
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const hostSince = useHostSince()
  const [all] = useState(() => rowsFor(found, ask, tasks, hostSince))
  const [whole, setWhole] = useState(true)
  const [choices, setChoices] = useState<Choices>(() => firstChoices(all, first, tasks))
  const [atOnce, setAtOnce] = useState(agentsAtOnceDefault)
  const [busy, setBusy] = useState<'continue' | 'fresh' | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const confirm = useRef<HTMLButtonElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  const formId = useId()

  const rows = whole ? all : all.slice(0, 1)
  const counts = countChoices(rows, choices)
  const nothing = counts.resume + counts.fresh + counts.abandon === 0
  const atOnceWrong = !Number.isInteger(atOnce) || atOnce < 1 || atOnce > agentsAtOnceMax
  const alone = rows.length === 1 && ask.of === 'task' && all.length === 1
  const [only] = rows

  const top = (only && choices[only.candidate.taskId]) ?? first
  // The title is the dialog's own, above this. Before it is painted: it must never say another thing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it says follows from these
  useLayoutEffect(() => onCounts(top, counts), [top, ...Object.values(counts)])

  const calm = useRef(counts.conflicting === 0)
  useEffect(() => {
    // Enter goes on where nothing speaks against it. After the dialog has taken the focus itself.
    const frame = requestAnimationFrame(() => (calm.current ? confirm : cancel).current?.focus())
    return () => cancelAnimationFrame(frame)
  }, [])

  const act = async () => {
    setBusy('continue')
    setProblem(null)
    try {
      const outcome = await client.tasks.resume({
        selector: selectorFor(ask, all.length > 1 || found.length > 1),
        force: counts.conflicting > 0,
        choices: sentChoices(found, rows, choices),
        ...(ask.of === 'all' ? { agentsAtOnce: atOnce } : {}),
      })
      const refused = problemOfOutcome(outcome)
      if (refused) {
        setProblem(refused)
        setBusy(null)
        return
      }
      overlay.hide()
      resumed(outcome)
    } catch (error) {
      setProblem(problemOf(error, 'resume'))
      setBusy(null)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!nothing && !atOnceWrong && !lost && busy === null) void act()
  }
  const freshly = async (taskId: TaskId) => {
    setBusy('fresh')
    await startFresh(taskId)
    overlay.hide()
  }

  return (
    <DialogBody
      footer={
        <>
          <Button ref={cancel} onClick={overlay.hide}>
            Cancel
          </Button>
          {alone && only && only.candidate.status === 'interrupted' && !only.candidate.obstacle ? (
            <Button
              busy={busy === 'fresh'}
              disabled={lost}
              title={
                unreachable !== undefined
                  ? unreachable
                  : 'Gives it up and begins its assignment anew; its record stays'
              }
              onClick={() => void freshly(only.candidate.taskId)}
            >
              Start fresh
            </Button>
          ) : null}
          <Button
            ref={confirm}
            variant="primary"
            // With conflicts only the button itself goes on, not Enter in a field.
            {...(counts.conflicting > 0
              ? { type: 'button', onClick: () => void act() }
              : { type: 'submit', form: formId })}
            disabled={nothing || atOnceWrong || lost}
            title={unreachable}
            busy={busy === 'continue'}
          >
            {actWords(counts)}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4 p-4">
        {problem ? (
          <ProblemNotice problem={problem} action={{ label: 'Look again', onClick: onLookAgain }} />
        ) : null}
        <DialogDescription className="untrusted text-read">
          {summaryWords(counts)}
        </DialogDescription>
        {ask.of === 'task' && all.length > 1 ? (
          <Scope whole={whole} count={all.length} onChange={setWhole} />
        ) : null}
        {ask.of === 'all' && counts.resume > 1 ? (
          <Field
            label="Max. parallel agents"
            hint="The others wait for their turn."
            error={atOnceWrong ? `A whole number from 1 to ${agentsAtOnceMax}.` : null}
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
          rows={rows.map((row) => {
            const task = tasks.get(row.candidate.taskId)
            return {
              ...row,
              choice: choices[row.candidate.taskId] ?? 'resume',
              stoppedAt: task ? stoppedAt(task) : null,
              cause: task?.error ?? null,
            }
          })}
          onChoose={
            alone
              ? undefined
              : (taskId, chosen) => setChoices(withChoice(choices, all, taskId, chosen, tasks))
          }
        />
      </form>
    </DialogBody>
  )
}

function Scope(props: { whole: boolean; count: number; onChange(whole: boolean): void }) {
  const { whole, count, onChange } = props
  const name = useId()
  const option = (value: boolean, label: string) => (
    <label className="flex h-7 items-center gap-2">
      <input
        type="radio"
        name={name}
        checked={whole === value}
        onChange={() => onChange(value)}
        className="size-4 accent-[var(--accent-fill)]"
      />
      {label}
    </label>
  )
  return (
    <fieldset className="flex gap-6">
      <legend className="sr-only">How much of it</legend>
      {option(true, `Its whole tree (${count})`)}
      {option(false, 'This one only')}
    </fieldset>
  )
}
