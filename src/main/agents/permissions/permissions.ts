/**
 * The permissions of agents: the rules of each run, the questions, and the remembered rules (P1 to
 * P4).
 */

import { definitionOfSpec } from '../../../shared/agents/agent-specs.ts'
import {
  isWiderMode,
  narrowestMode,
  type PermissionMode,
} from '../../../shared/agents/permission-modes.ts'
import {
  type AskedQuestion,
  type CommandShell,
  mergePermissionSettings,
  type PermissionQuestions,
  type PermissionRule,
  type PermissionScope,
  type PermissionSettings,
  type PermissionsOfRuns,
  rulesMax,
} from '../../../shared/agents/permissions.ts'
import { FailureError, invalid } from '../../../shared/failure.ts'
import type { ProjectId, TaskId } from '../../../shared/records/ids.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { actionOf } from './actions.ts'
import { analyzeRequest } from './analyze-request.ts'
import { createPermissionBoard } from './board.ts'
import { decideOn } from './decide.ts'
import { quoted } from './named.ts'
import { whereElse } from './other-folders.ts'
import { parseRule } from './parse-rule.ts'
import { apartIn } from './places.ts'
import { type PolicyLayer, readRepositoryPolicy } from './policy.ts'
import { isReadableRule } from './propose.ts'
import type { PermissionStore } from './store.ts'

interface PermissionsDependencies {
  store: PermissionStore
  clock: () => number
  /** Reports whether a user can be asked that. */
  canAsk: (question: AskedQuestion) => boolean
  taskOf: (taskId: TaskId) => Task | undefined
  /** Throws FailureError when it is not known. */
  projectOf: (projectId: ProjectId) => Project
  /** Returns the command that a new worktree of the project would run, or null. */
  setUpOf: (projectId: ProjectId) => Promise<string | null>
  /** Resolves with the shell of Shiplog's own tools. */
  shell: () => Promise<CommandShell>
  /** Absolute. */
  dataDir: string
  /** Called with one sentence for the user. */
  onWarning: (text: string) => void
}

export function createPermissions(
  deps: PermissionsDependencies,
): PermissionsOfRuns & PermissionQuestions {
  const { store, canAsk, taskOf, projectOf } = deps
  const board = createPermissionBoard(deps.clock)
  /**
   * The policies of each task's last run in this process, so that an agent that changes the file
   * does not widen anything for its sub-agents.
   */
  const policies = new Map<TaskId, PolicyLayer | null>()
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

  /** No task has more permissions than its ancestors. Null if all of them are scripted. */
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
    async forRun(task, { workingDir, sandbox, whileAsked }) {
      const mode = modeFor(task)
      const repository = mode === null ? null : await readRepositoryPolicy(task.projectDir)
      if (repository?.problem) deps.onWarning(repository.problem)
      policies.set(task.id, repository?.layer ?? null)
      const ancestors = chainOf(task).map(({ id }) => policies.get(id))
      const layers = (tried: readonly PermissionRule[]): PolicyLayer[] => [
        {
          mode: mode ?? 'allow-all',
          rules: [
            ...scopesOf(task.projectId).flatMap((scope) => settingsOf(scope).rules),
            ...tried,
          ],
        },
        ...new Set(ancestors.filter((layer) => layer != null)),
      ]
      return {
        mode,
        async check({ name, input, cwd, folders = [], shell, programPath, tried = [] }) {
          if (mode === null) return null
          const apart = apartIn(workingDir, deps.dataDir)
          const called = {
            name,
            input,
            folders,
            shell: shell ?? (await deps.shell()),
            hasSettings: shell !== undefined,
          }
          const place = { workingDir, cwd, apart, programPath }
          const found = await actionOf(called, place, () => deps.setUpOf(task.projectId))
          if (found === null) return null
          const analyzed = analyzeRequest(found.request)
          const verdict = decideOn(layers(tried), analyzed)
          return {
            verdict:
              verdict.kind === 'ask'
                ? { ...verdict, reasons: [...verdict.reasons, ...whereElse(found.request)] }
                : verdict,
            action: found.action,
            folders: analyzed.kind === 'command' ? analyzed.folders : folders,
          }
        },
        isNarrowed: () =>
          layers([]).some(
            (layer) =>
              (mode !== null && isWiderMode(mode, layer.mode)) ||
              layer.rules.some(({ effect }) => effect !== 'allow'),
          ),
        async ask({ recheck, ...question }, signal) {
          const chain = chainOf(task).map(({ id, title }) => ({ taskId: id, title }))
          const limits = question.kind === 'command' && sandbox ? { sandbox } : {}
          const asked = { ...question, ...limits, projectId: task.projectId, chain }
          if (!canAsk(asked)) return { kind: 'nobody' }
          const aborted = Promise.withResolvers<{ kind: 'ended' }>()
          const onAbort = () => aborted.resolve({ kind: 'ended' })
          signal.addEventListener('abort', onAbort, { once: true })
          try {
            // A run that ends does not acquire its slot again.
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
      if (!found) throw noLongerOpen(id)
      const isQuestion = found.question.kind === 'question'
      if (decision.kind === 'answer') {
        if (!isQuestion) invalid('decision', 'A permission is allowed or denied, not answered.')
        return void board.settle(id, { kind: 'answered', text: decision.text })
      }
      if (isQuestion && decision.kind !== 'deny')
        invalid('decision', 'The agent asks a question: answer it, or decline it.')
      if (decision.kind === 'deny')
        return void board.settle(id, { kind: 'denied', message: decision.message.trim() })
      if (decision.kind === 'allow-once')
        return void board.settle(id, { kind: 'allowed', by: 'person' })
      if (found.question.kind === 'configuration')
        invalid(
          'decision',
          'No rule allows what a repository configures: allow it until it changes.',
        )
      const { projectId } = found.question
      const scope: PermissionScope =
        decision.scope === 'project' ? { kind: 'project', projectId } : { kind: 'everywhere' }
      const added = decision.rules.map((rule) => ({ effect: 'allow' as const, rule }))
      for (const { rule } of added) {
        if (!isReadableRule(rule))
          invalid('rules', `A rule has characters that can’t be seen: ${quoted(rule)}.`)
      }
      checkRules(added)
      const verdict = await found.recheck?.(added)
      if (verdict?.kind !== 'allow')
        invalid('rules', 'These rules would not have allowed it. Change them, or allow it once.')
      // A denial elsewhere, while the rules were tried, was given first.
      if (!board.get(id)) throw noLongerOpen(id)
      await change(scope, (now) => ({
        ...now,
        rules: [...now.rules, ...added.filter(isNewIn(now))],
      }))
      board.settle(id, { kind: 'allowed', by: 'person', rules: decision.rules.join('\n') })
      await board.recheck()
    },
    settings: settingsOf,
    async setSettings(scope, settings, before) {
      checkRules(settings.rules)
      const saved = await change(scope, (now) =>
        before ? mergePermissionSettings(now, before, settings) : settings,
      )
      await board.recheck()
      return saved
    },
    subscribe: board.subscribe,
  }

  function change(
    scope: PermissionScope,
    make: (now: PermissionSettings) => PermissionSettings,
  ): Promise<PermissionSettings> {
    const dir = scope.kind === 'project' ? projectOf(scope.projectId).dir : ''
    return store.change(scope, dir, (now) => {
      const next = make(now)
      if (next.rules.length > rulesMax)
        invalid('rules', `There may be ${rulesMax} rules. Remove some, or allow it once.`)
      return next
    })
  }
}

function noLongerOpen(id: string): FailureError {
  const why = 'The question is no longer open: it was answered elsewhere, or its run has ended.'
  return new FailureError({ kind: 'not-found', what: 'question', id, why })
}

/** Throws FailureError for a rule that can't be read. */
function checkRules(rules: readonly PermissionRule[]): void {
  for (const { rule } of rules) {
    try {
      parseRule(rule)
    } catch (error) {
      invalid('rules', (error as Error).message)
    }
  }
}

const isNewIn =
  ({ rules }: PermissionSettings) =>
  ({ effect, rule }: PermissionSettings['rules'][number]): boolean =>
    rules.every((one) => one.effect !== effect || one.rule !== rule)
