/**
 * The permissions of agents (P1 to P4): modes, rules, and the questions that a user answers. `src/main/agents/permissions`
 * decides about calls; docs/PERMISSIONS.md describes the rules.
 */
import { z } from 'zod'
import {
  type ProjectId,
  projectIdSchema,
  type TaskId,
  type ToolCallId,
  taskIdSchema,
  toolCallIdSchema,
} from '../records/ids.ts'
import { type RunSandbox, runSandboxSchema } from '../records/projects/sandbox.ts'
import type { Task } from '../records/tasks/tasks.ts'
import { type PermissionMode, permissionModeSchema } from './permission-modes.ts'

/** Longer rules can't be read at a glance. */
export const ruleCharsMax = 2_000
/** A longer list can't be reviewed, and slows every decision. */
export const rulesMax = 500

/**
 * `bash: npm test *`, `edit: src/**`, `web_fetch: docs.rs/*`, or the name of a tool alone. The syntax is
 * checked where a rule is used: a rule that this version can't read matches nothing.
 */
export const permissionRuleSchema = z.object({
  /** `deny` takes precedence over `ask`, and both over `allow`, in any order. */
  effect: z.enum(['allow', 'ask', 'deny']),
  rule: z.string().trim().min(1).max(ruleCharsMax),
})
export type PermissionRule = z.infer<typeof permissionRuleSchema>

export const permissionSettingsSchema = z.object({
  /** Null inherits the mode of the wider scope; in the widest scope null means `ask`. */
  mode: permissionModeSchema.nullable(),
  rules: z.array(permissionRuleSchema).max(rulesMax),
})
export type PermissionSettings = z.infer<typeof permissionSettingsSchema>

/**
 * Three-way merge: `after` was edited from `before`, and the current settings are `now`. Changes of
 * both sides are kept.
 */
export function mergePermissionSettings(
  now: PermissionSettings,
  before: PermissionSettings,
  after: PermissionSettings,
): PermissionSettings {
  const has = ({ rules }: PermissionSettings, { effect, rule }: PermissionRule): boolean =>
    rules.some((one) => one.effect === effect && one.rule === rule)
  return {
    mode: after.mode === before.mode ? now.mode : after.mode,
    rules: [
      ...after.rules.filter((one) => has(now, one) || !has(before, one)),
      ...now.rules.filter((one) => !has(after, one) && !has(before, one)),
    ],
  }
}

export const noPermissionSettings: PermissionSettings = { mode: null, rules: [] }

/** Where an allowed rule is remembered. */
export const permissionScopeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('everywhere') }),
  z.object({ kind: z.literal('project'), projectId: projectIdSchema }),
])
export type PermissionScope = z.infer<typeof permissionScopeSchema>

/** A question that waits for a user. Its durable form is the `permission` entry of its session. */
export const pendingPermissionSchema = z.object({
  id: z.string(),
  taskId: taskIdSchema,
  projectId: projectIdSchema,
  /** Null if it is not about a call. */
  callId: toolCallIdSchema.nullable(),
  /**
   * `command`: run by a shell. `edit`: a change of a file. `other`: another tool. `question`: what to do (`ask_person`).
   * `configuration`: files of the repository that an installed agent runs, before it starts; allowed until they change.
   */
  kind: z.enum(['command', 'edit', 'other', 'question', 'configuration']),
  /** The agent's name for the tool; for a configuration, the agent's own name. */
  tool: z.string(),
  /**
   * Exactly what will be done, in full (P2). For an edit: a line with the file, then the removed and added lines, each
   * with a `- ` or `+ ` before it.
   */
  text: z.string(),
  /** Only of a question: answers to choose from. */
  choices: z.array(z.string()).optional(),
  /** The command runs in the background. */
  inBackground: z.boolean().optional(),
  /** Where it runs. Absolute. */
  directory: z.string(),
  /** For a command: the limits of its sandbox. */
  sandbox: runSandboxSchema.optional(),
  /** The path from the root to the task, the root first. */
  chain: z.array(z.object({ taskId: taskIdSchema, title: z.string() })),
  /** The agent's last text; may be empty. */
  lastText: z.string(),
  /** The reasons why no rule allows it, one sentence each. */
  reasons: z.array(z.string()),
  /** The narrowest rules that would have allowed it; empty: none should. */
  proposal: z.array(z.string()),
  /** Milliseconds since the epoch. */
  askedAt: z.number(),
})
export type PendingPermission = z.infer<typeof pendingPermissionSchema>

/** The fields of a question that determine whether anybody can answer it. */
export type AskedQuestion = Pick<PendingPermission, 'kind' | 'taskId' | 'projectId' | 'chain'>

/** The longest message to the agent with a refusal. */
const denialCharsMax = 4_000
const answerCharsMax = 16_000

export const permissionDecisionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow-once') }),
  /** Remembers the rules, which must cover the call, and allows it. */
  z.object({
    kind: z.literal('allow-always'),
    rules: z.array(z.string().trim().min(1).max(ruleCharsMax)).min(1),
    scope: z.enum(['everywhere', 'project']),
  }),
  /** Only for a question: the user's answer. */
  z.object({ kind: z.literal('answer'), text: z.string().trim().min(1).max(answerCharsMax) }),
  /** `message` for the agent; may be empty. For a question: it stays unanswered. */
  z.object({ kind: z.literal('deny'), message: z.string().max(denialCharsMax) }),
])
export type PermissionDecision = z.infer<typeof permissionDecisionSchema>

/** Answers about permissions: the pending questions, and the user's settings. */
export interface PermissionQuestions {
  /** Returns the mode of runs in the project that set none. */
  modeOf(projectId: ProjectId): PermissionMode
  /** Returns the pending questions, oldest first. */
  pending(): PendingPermission[]
  /** Throws FailureError if the question is no longer pending, or if the rules would not have allowed the call. */
  answer(id: string, decision: PermissionDecision): Promise<void>
  settings(scope: PermissionScope): PermissionSettings
  /**
   * Returns the settings as saved, durable. `before`: the settings that the user changed into `settings`; changes
   * made elsewhere since are kept. Absent: `settings` replaces all. Throws FailureError for an unreadable rule.
   */
  setSettings(
    scope: PermissionScope,
    settings: PermissionSettings,
    before?: PermissionSettings,
  ): Promise<PermissionSettings>
  /** Calls the listener when the pending questions change. Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void
}

/** Creates the permissions of each run from the settings at its start. */
export interface PermissionsOfRuns {
  modeOf: PermissionQuestions['modeOf']
  forRun(
    task: Task,
    run: {
      /** Absolute. */
      workingDir: string
      /** The sandbox of its commands; absent: unknown. */
      sandbox?: RunSandbox
      /** Releases the agent's slot while a user is asked. */
      whileAsked: <T>(work: () => Promise<T>) => Promise<T>
    },
  ): Promise<RunPermissions>
}

/** The action of a call, as shown to the user. */
export type AskedAction = Pick<
  PendingPermission,
  'kind' | 'tool' | 'text' | 'directory' | 'inBackground' | 'choices'
>

export type Verdict =
  | { kind: 'allow'; by: 'mode' }
  | { kind: 'allow'; by: 'rule'; rule: string }
  | { kind: 'deny'; rule: string }
  /** `reasons`: one sentence each. `proposal`: rules that would have allowed it; empty: none should. */
  | { kind: 'ask'; reasons: string[]; proposal: string[] }

export type PermissionOutcome =
  /** `rules`: that the user remembered with the answer, one a line. */
  | { kind: 'allowed'; by: 'person'; rules?: string }
  | { kind: 'allowed'; by: 'rule'; rule: string }
  /** The answer to a question. */
  | { kind: 'answered'; text: string }
  /** `message`: for the agent; empty: none. */
  | { kind: 'denied'; message: string }
  /** No user could be asked. */
  | { kind: 'nobody' }
  /** The run ended before an answer. */
  | { kind: 'ended' }

/** The shell that reads a command. `old-bash`: perhaps one before version 4. `unknown`: perhaps dash, zsh or fish. */
export type CommandShell = 'bash' | 'old-bash' | 'unknown'

export interface CheckedCall {
  verdict: Verdict
  action: AskedAction
  /** The directories that its shell may be in afterwards, absolute; null if it may be in any. */
  folders: readonly string[] | null
}

/** The permissions of one run as of its start, plus the rules that a user remembered since. */
export interface RunPermissions {
  /** Null for a scripted agent, about which nothing is asked (P1). */
  mode: PermissionMode | null
  /**
   * Decides about a call of one of Shiplog's tools. `cwd` is the directory of its shell. Null if
   * such calls need no permission.
   */
  check(call: {
    name: string
    input: unknown
    cwd: string
    /**
     * Other directories that its shell may be in, absolute, because earlier commands may have changed to them; null if it
     * may be in any.
     */
    folders?: readonly string[] | null
    /** The shell that reads its command. Absent: that of Shiplog's tools. */
    shell?: CommandShell
    /** Its PATH, if an earlier command changed it. */
    programPath?: string | undefined
    /** Rules that apply only to this decision, in addition to the user's. */
    tried?: readonly PermissionRule[]
  }): Promise<CheckedCall | null>
  /** Reports whether something narrows the mode: a rule that asks or denies, or a narrower mode of a repository. */
  isNarrowed(): boolean
  /** Waits for a decision by the user, or by a rule that is added later. Never rejects. */
  ask(
    question: AskedAction & {
      taskId: TaskId
      callId: ToolCallId | null
      lastText: string
      reasons: string[]
      proposal: string[]
      /** The verdict under the current rules and those tried; null: no rule can answer. */
      recheck: ((tried: readonly PermissionRule[]) => Promise<Verdict>) | null
    },
    signal: AbortSignal,
  ): Promise<PermissionOutcome>
}
