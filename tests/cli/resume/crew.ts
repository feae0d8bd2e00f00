/** Tasks that were interrupted, for the tests of the commands that resume them. */
import { thePerson } from '../../../src/shared/records/drift.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { noDrift } from '../../fixtures/no-drift.ts'
import { type RunOptions, runToEnd } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'

export let fake: ReturnType<typeof createFakeShiplog>
export let lead: TaskId
export let tester: TaskId
export let writer: TaskId

/** For `beforeEach`: a new lead and its two sub-agents, all interrupted; the writer stopped last. */
export function interruptCrew(): void {
  fake = createFakeShiplog()
  const projectId = fake.addProject('/code/api')
  lead = fake.createTask({ projectId, title: 'Fix the parser' })
  fake.spawn(lead)
  tester = fake.createTask({ projectId, parentId: lead, title: 'Add tests', agent: 'tester' })
  writer = fake.createTask({
    projectId,
    parentId: lead,
    title: 'Describe it',
    agent: 'writer',
  })
  for (const id of [tester, writer]) fake.spawn(id)
  fake.say(tester, 'said in the first run')
  for (const id of [lead, tester, writer])
    fake.interrupt(id, { kind: 'error', detail: 'the power went' })
  fake.onGoOn(async (taskId) => {
    if (fake.state.tasks.get(taskId)?.status === 'queued') fake.spawn(taskId)
    fake.say(taskId, `${taskId} goes on`)
    fake.report(taskId, 'Done', `Report of ${fake.state.tasks.get(taskId)?.title}.`)
    fake.complete(taskId)
    if (fake.state.tasks.get(taskId)?.parentId) fake.archive(taskId)
  })
}

export const run = (argv: string[], options: RunOptions = {}) =>
  runToEnd(argv, { fake, ...options })
export const statusOf = (id: TaskId) => fake.state.tasks.get(id)?.status
export const begun = () => fake.asked('tasks.resume')

/** The user changed a file that the agent had changed. */
export function changeUnder(id: TaskId): void {
  const conflict = {
    path: 'src/a.ts',
    oldPath: null,
    change: 'modified',
    changedBy: thePerson,
  } as const
  fake.drift[id] = { ...noDrift(id), conflicts: [conflict] }
}
