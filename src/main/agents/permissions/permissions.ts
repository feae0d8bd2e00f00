/** The permissions of agents: which rules count for a run, who is asked, and what is remembered (P1 to P4). */
import { definitionOfSpec } from '../../../shared/agents/agent-specs.ts'
import { narrowestMode, type PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type {
  PendingPermission,
  PermissionDecision,
  PermissionScope,
  PermissionSettings,
  PermissionsOfRuns,
} from '../../../shared/agents/permissions.ts'
import { FailureError, invalid } from '../../../shared/failure.ts'
import type { ProjectId, TaskId } from '../../../shared/records/ids.ts'
import type { Project, Task } from '../../../shared/records/tasks.ts'
import { actionOf } from './actions.ts'
import { createPermissionBoard } from './board.ts'
import { decide, type PolicyLayer } from './decide.ts'
import { parseRule } from './parse-rule.ts'
import { readRepositoryPolicy } from './repository-policy.ts'
import type { PermissionStore } from './store.ts'

interface Permissions extends PermissionsOfRuns {
  pending(): PendingPermission[]
  /** Throws FailureError for a question that does not wait any more, and for rules that would not have allowed it. */
  answer(id: string, decision: PermissionDecision): Promise<void>
  settings(scope: PermissionScope): PermissionSettings
  /** Durable when it resolves; what waits and is allowed by then goes on. Throws FailureError for an unreadable rule. */
  setSettings(scope: PermissionScope, settings: PermissionSettings): Promise<void>
  /** Called when a question came or went. Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void
}

interface PermissionsDependencies {
  store: PermissionStore
  clock: () => number
  /** Whether a person can be asked at all. */
  canAsk: () => boolean
  taskOf: (taskId: TaskId) => Task | undefined
  /** Throws FailureError when it is not known. */
  projectOf: (projectId: ProjectId) => Project
  /** The command that a new worktree of the project would run; null: none. */
  setUpOf: (projectId: ProjectId) => Promise<string | null>
  /** What the person has to know, one sentence. */
  onWarning: (text: string) => void
}

export function createPermissions(deps: PermissionsDependencies): Permissions {
  const { store, canAsk, taskOf, projectOf } = deps
  const board = createPermissionBoard(deps.clock)
  if (store.lost !== null) deps.onWarning(store.lost)

  const settingsOf = (scope: PermissionScope): PermissionSettings =>
    store.of(scope, scope.kind === 'project' ? projectOf(scope.projectId).dir : '')

  const scopesOf = (projectId: ProjectId): PermissionScope[] => [
    { kind: 'project', projectId },
    { kind: 'everywhere' },
  ]

  const modeOf = (projectId: ProjectId): PermissionMode =>
    scopesOf(projectId)
      .map((scope) => settingsOf(scope).mode)
      .find((mode) => mode !== null) ?? 'ask'

  /** The root first. */
  function chainOf(task: Task): Task[] {
    const parent = task.parentId === null ? undefined : taskOf(task.parentId)
    return [...(parent ? chainOf(parent) : []), task]
  }

  /** No task has more than those above it. Null: all of them play the person's own script. */
  function modeFor(task: Task): PermissionMode | null {
    const modes = chainOf(task).flatMap(({ options, spec, projectId }) => {
      const own = spec.kind === 'scripted' ? null : modeOf(projectId)
      return [options.permissions ?? own, definitionOfSpec(spec)?.permissions ?? null]
    })
    const [first, ...others] = modes.filter((mode) => mode !== null)
    return first === undefined ? null : narrowestMode(first, ...others)
  }

  return {
    modeOf,
    async forRun(task, { workingDir, whileAsked }) {
      const mode = modeFor(task)
      const repository = mode === null ? null : await readRepositoryPolicy(task.projectDir)
      if (repository?.problem) deps.onWarning(repository.problem)
      const layers = (): PolicyLayer[] => [
        {
          mode: mode ?? 'allow-all',
          rules: scopesOf(task.projectId).flatMap((scope) => settingsOf(scope).rules),
        },
        ...(repository ? [repository.layer] : []),
      ]
      return {
        mode,
        async check({ name, input, cwd }) {
          if (mode === null) return null
          const found = await actionOf({ name, input }, { workingDir, cwd }, () =>
            deps.setUpOf(task.projectId),
          )
          return found && { verdict: decide(layers(), found.request), action: found.action }
        },
        async ask({ recheck, ...question }, signal) {
          if (!canAsk()) return { kind: 'nobody' }
          const chain = chainOf(task).map(({ id, title }) => ({ taskId: id, title }))
          const asked = { ...question, projectId: task.projectId, chain }
          const aborted = Promise.withResolvers<{ kind: 'ended' }>()
          const onAbort = () => aborted.resolve({ kind: 'ended' })
          signal.addEventListener('abort', onAbort, { once: true })
          try {
            // A run that ends does not wait for its slot again.
            return await Promise.race([
              whileAsked(() => board.ask(asked, recheck, signal)),
              aborted.promise,
            ])
          } finally {
            signal.removeEventListener('abort', onAbort)
          }
        },
      }
    },
    pending: board.list,
    async answer(id, decision) {
      const found = board.get(id)
      if (!found) throw new FailureError({ kind: 'not-found', what: 'question', id })
      if (decision.kind === 'deny')
        return void board.settle(id, { kind: 'denied', message: decision.message.trim() })
      if (decision.kind === 'allow-once')
        return void board.settle(id, { kind: 'allowed', by: 'person' })
      const { projectId } = found.question
      const scope: PermissionScope =
        decision.scope === 'project' ? { kind: 'project', projectId } : { kind: 'everywhere' }
      const before = settingsOf(scope)
      const added = decision.rules.map((rule) => ({ effect: 'allow' as const, rule }))
      await save(scope, { ...before, rules: [...before.rules, ...added.filter(isNewIn(before))] })
      const verdict = await found.recheck?.()
      if (verdict?.kind !== 'allow') {
        await save(scope, before)
        invalid('rules', 'These rules would not have allowed it. Change them, or allow it once.')
      }
      board.settle(id, { kind: 'allowed', by: 'person', rules: decision.rules.join('\n') })
      await board.recheck()
    },
    settings: settingsOf,
    async setSettings(scope, settings) {
      await save(scope, settings)
      await board.recheck()
    },
    subscribe: board.subscribe,
  }

  async function save(scope: PermissionScope, settings: PermissionSettings): Promise<void> {
    for (const { rule } of settings.rules) {
      try {
        parseRule(rule)
      } catch (error) {
        invalid('rules', (error as Error).message)
      }
    }
    await store.save(
      scope,
      scope.kind === 'project' ? projectOf(scope.projectId).dir : '',
      settings,
    )
  }
}

const isNewIn =
  ({ rules }: PermissionSettings) =>
  ({ effect, rule }: PermissionSettings['rules'][number]): boolean =>
    rules.every((one) => one.effect !== effect || one.rule !== rule)
