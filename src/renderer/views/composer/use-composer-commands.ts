import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ComposerCommand } from '../../components/composer/completion.ts'
import { toast } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { showProblem } from '../app/toasts.ts'
import { useActions } from '../app/use-actions.ts'
import type { NextRunPicker } from './next-run-pickers.tsx'

/** The commands that `/` offers below the conversation of a root: only those that apply now. */
export function useComposerCommands(
  task: Task,
  { onPick, onReview }: { onPick(picker: NextRunPicker): void; onReview(): void },
): ComposerCommand[] {
  const { client, overlay } = useStores()
  const { stop, wrapUp } = useActions()
  const unreachable = useUnreachable()
  const { id: taskId, spec, status, projectId } = task
  const isModel = spec.kind === 'model'
  const compact = () =>
    client.tasks.compact({ taskId }).then(
      ({ at }) =>
        toast.success(
          at === 'next-turn'
            ? 'The conversation is summarised before its next step.'
            : 'The conversation is summarised when its next run begins.',
        ),
      (error: unknown) => showProblem(problemOf(error, 'summarise the conversation')),
    )
  const reachable: ComposerCommand[] = [
    {
      name: isModel ? 'model' : 'agent',
      description: isModel
        ? 'Choose the model of the next run, or another agent'
        : 'Continue with another agent',
      run: () => onPick('agent'),
    },
    ...(spec.kind === 'scripted'
      ? []
      : [
          {
            name: 'permissions',
            description: 'Choose what it may do without asking, from the next run on',
            run: () => onPick('permissions'),
          },
        ]),
    ...(isModel
      ? [
          {
            name: 'compact',
            description: 'Summarise the conversation, to make room in the model’s context',
            run: () => void compact(),
          },
        ]
      : []),
    ...(isRunning(status)
      ? [
          { name: 'stop', description: 'Stop it now', run: () => void stop(taskId) },
          {
            name: 'wrap-up',
            description: 'Have it finish up and report',
            run: () => void wrapUp(taskId),
          },
        ]
      : []),
  ]
  return [
    ...(unreachable === undefined ? reachable : []),
    { name: 'changes', description: 'Review what it changed', run: onReview },
    {
      name: 'new',
      description: 'Start another agent in this project',
      run: () => overlay.show({ kind: 'new-agent', projectId }),
    },
  ]
}
