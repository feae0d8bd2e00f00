import { z } from 'zod'
import { agentChoiceSchema } from '../agents/agent-specs.ts'
import { promptImagesSchema } from '../agents/images.ts'
import { keyVariableSchema } from '../agents/model-refs.ts'
import { permissionModeSchema } from '../agents/permission-modes.ts'
import { applyOutcomeSchema, undoOutcomeSchema } from '../agents/tools.ts'
import { blobIdSchema } from '../records/drift.ts'
import { recordSourceSchema } from '../records/exported-tasks.ts'
import { idTextSchema, projectIdSchema, promptIdSchema, taskIdSchema } from '../records/ids.ts'
import { variableNameSchema, variablesMax } from '../records/projects/projects.ts'
import { isolationSchema } from '../records/projects/workspaces.ts'
import {
  resumeCandidateSchema,
  resumeChoiceSchema,
  resumeEndSchema,
  resumeOutcomeSchema,
  resumeSelectorSchema,
} from '../records/resume.ts'
import { budgetSchema } from '../records/tasks/budgets.ts'
import { reportSchema } from '../records/tasks/reports.ts'
import { taskStatusSchema } from '../records/tasks/task-status.ts'
import { taskSchema, titleCharsMax } from '../records/tasks/tasks.ts'
import { agentsAtOnceMax, quotaWaitsMax } from '../records/tasks/tree-options.ts'
import { base } from './base.ts'
import { changeSelectionSchema } from './changes/changes.ts'
import { continuationSchema } from './continuation.ts'

const taskTreeSchema = taskSchema.extend({
  get children() {
    return z.array(taskTreeSchema)
  },
})

const stoppedTasksSchema = z.object({
  /** Tasks that were running, and are interrupted now. */
  stopped: z.array(taskIdSchema),
  /** Tasks that had not started, and are cancelled now. */
  cancelled: z.array(taskIdSchema),
})
export type StoppedTasks = z.infer<typeof stoppedTasksSchema>

const runSettings = {
  /** `PROVIDER/MODEL`; absent: unchanged. */
  model: z.string().optional(),
  /** Absent: unchanged. */
  permissions: permissionModeSchema.optional(),
}

export const tasks = {
  /** Starts a root agent. Resolves once the task is durable, before it has run (T1, T2). */
  start: base
    .input(
      z.object({
        projectId: projectIdSchema,
        agent: agentChoiceSchema,
        prompt: z.string(),
        /** Sent to the agent with the prompt. INVALID: one is not an image of a supported type, or too large. */
        images: promptImagesSchema.default([]),
        title: z.string().optional(),
        isolation: isolationSchema.default('worktree'),
        agentsAtOnce: z.number().int().min(1).max(agentsAtOnceMax).optional(),
        /** True: finished sub-agents' workspaces are kept (`--keep`). */
        keep: z.boolean().default(false),
        /** Names of secret variables of the host that its agents get (K2). */
        env: z.array(variableNameSchema).max(variablesMax).optional(),
        /** Absent: the project's; a scripted agent then runs the user's own script without permission checks. */
        permissions: permissionModeSchema.optional(),
        /** The budget of its tree (Q2); null: no limit. Absent: that of the settings. */
        budget: budgetSchema.nullable().optional(),
        /** How many times its tree waits for a spent quota (Q1); 0: never. Absent: that of the settings. */
        quotaWaits: z.number().int().min(0).max(quotaWaitsMax).optional(),
        /** Whether agents of the tree may read the record of their sub-agents (A5). Absent: that of the settings. */
        readsRecord: z.boolean().optional(),
      }),
    )
    .output(z.object({ taskId: taskIdSchema })),
  /**
   * Sends a follow-up to a root: the prompt of its next run (T7). Durable when it resolves. If a run is in progress, the
   * follow-up waits: it starts once that run has completed, or by `startWaitingPrompt` after any other end. With `atNextTurn` it
   * is a message to the running agent, root or not, before its next turn (Q3): REFUSED if no agent that reads messages is
   * running. A message that a root has not read at its end becomes a follow-up.
   */
  prompt: base
    .input(
      z
        .object({
          taskId: taskIdSchema,
          prompt: z.string(),
          /** As in `start`. */
          images: promptImagesSchema.default([]),
          atNextTurn: z.boolean().default(false),
        })
        .refine(({ prompt, images }) => prompt !== '' || images.length > 0, {
          path: ['prompt'],
          message: 'is empty',
        }),
    )
    .output(z.object({})),
  /** Starts the oldest waiting follow-up of a root, or its first prompt if that was never started. */
  startWaitingPrompt: base.input(z.object({ taskId: idTextSchema })).output(z.object({})),
  /** Withdraws a waiting follow-up. */
  withdrawPrompt: base
    .input(z.object({ taskId: idTextSchema, promptId: promptIdSchema }))
    .output(z.object({})),
  /** Interrupts the task and the tasks below it, and keeps partial turns. Tasks that had not started are cancelled. */
  stop: base.input(z.object({ taskId: idTextSchema })).output(stoppedTasksSchema),
  /**
   * Requests a report from the task and the tasks below it (Q3): each running agent gets one last turn, which may call
   * only `agent_report`; tasks that had not started are cancelled. REFUSED if none of them is running.
   */
  wrapUp: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ asked: z.array(taskIdSchema), cancelled: z.array(taskIdSchema) })),
  /**
   * Makes the agent summarise its conversation before its next turn and continue with the summary, in this run or in
   * the next one. REFUSED for an agent without a model, and for one that can't run again.
   */
  compact: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ at: z.enum(['next-turn', 'next-run']) })),
  /**
   * Ends the wait of an agent, and of those below it, before the next request to its model. REFUSED if none of them waits.
   */
  tryNow: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ trying: z.array(taskIdSchema) })),
  /** Wakes a tree that waits for a quota before its time. REFUSED if it does not sleep. */
  wake: base.input(z.object({ taskId: idTextSchema })).output(z.object({})),
  /** Cancels the wake-up of a sleeping tree: its agents stay interrupted. REFUSED if it does not sleep. */
  cancelSleep: base.input(z.object({ taskId: idTextSchema })).output(z.object({})),
  /** Sets the budget of a root; null: none. Agents that waited for a budget continue if the new one suffices. */
  setBudget: base
    .input(z.object({ taskId: idTextSchema, budget: budgetSchema.nullable() }))
    .output(z.object({})),
  list: base
    .input(
      z.object({
        projectDir: z.string().optional(),
        /** `running`: spawned or resumed. */
        status: z.union([taskStatusSchema, z.literal('running')]).optional(),
        /** Only trees that it recorded. */
        source: recordSourceSchema.optional(),
        /** True: includes archived tasks. */
        all: z.boolean().default(false),
      }),
    )
    .output(z.object({ tasks: z.array(taskTreeSchema) })),
  /** Returns a report, also of a removed task (A7). `run`: the newest if absent. */
  report: base
    .input(
      z.object({
        taskId: idTextSchema,
        run: z.number().int().min(1).optional(),
        /** Only its descendants can be read (A5). */
        requestingWorkspaceId: taskIdSchema.optional(),
      }),
    )
    .output(reportSchema),
  /**
   * Applies the changes of a task to its parent's worktree, or those of a root to the project's checked-out branch. With
   * `selection`, only these files and hunks.
   */
  applyPatch: base
    .input(z.object({ taskId: idTextSchema, selection: changeSelectionSchema.optional() }))
    .output(applyOutcomeSchema),
  /**
   * Undoes the newest apply of this task's changes: restores every file that it wrote. If one of them was changed
   * since, it changes nothing.
   */
  undoApply: base.input(z.object({ taskId: idTextSchema })).output(undoOutcomeSchema),
  /** Lists the tasks that would be resumed, and what has changed for each since it stopped (S1, S2). Changes nothing. */
  planResume: base
    .input(z.object({ selector: resumeSelectorSchema }))
    .output(z.object({ candidates: z.array(resumeCandidateSchema) })),
  /**
   * Resumes the selected tasks, each as a new run. Resolves once each is running or waits for a slot. If there are
   * conflicts, it starts none and returns the conflicts, unless `force`.
   */
  resume: base
    .input(
      z.object({
        selector: resumeSelectorSchema,
        force: z.boolean().default(false),
        /** By task; absent: `resume`. */
        choices: z.partialRecord(taskIdSchema, resumeChoiceSchema).default({}),
        /** The maximum number of parallel agents; absent: 3 for tasks of several trees. */
        agentsAtOnce: z.number().int().min(1).max(agentsAtOnceMax).optional(),
        /** Their mode of permissions from now on; absent: unchanged. */
        permissions: permissionModeSchema.optional(),
        /** A prompt for the topmost task. */
        prompt: z.string().optional(),
        /** As in `start`. */
        images: promptImagesSchema.default([]),
      }),
    )
    .output(resumeOutcomeSchema),
  /** Resolves with the outcome of each, once none is running or waits for a slot. An abort ends the waiting only. */
  resumeEnded: base
    .input(z.object({ taskIds: z.array(taskIdSchema) }))
    .output(z.object({ ended: z.array(resumeEndSchema) })),
  /**
   * Abandons an interrupted task, with the sub-agents below it that were interrupted or never started, and runs its
   * prompt as a new task (S2). REFUSED while one of them is running.
   */
  restart: base.input(z.object({ taskId: idTextSchema })).output(
    z.object({
      taskId: taskIdSchema,
      /** The tasks below the old one that were abandoned with it. */
      abandoned: z.array(taskIdSchema),
    }),
  ),
  /**
   * Starts a new root that continues a task, with its history and files (T4). An interrupted task is continued with
   * another agent or model, and is then abandoned. An imported session requires a prompt and a place (INVALID `prompt`,
   * `place`), and is continued with the current files. REFUSED `not-set-up`: the agent can't run here.
   */
  continueFrom: base
    .input(
      z.object({
        taskId: idTextSchema,
        /** Absent: that of the old task, with its images. */
        prompt: z.string().optional(),
        images: promptImagesSchema.default([]),
        /** The agent, with its model and key. Absent: unchanged. */
        agent: agentChoiceSchema.optional(),
        /**
         * Continues from the end of the turn with this entry, in a worktree with the files of that moment, and leaves
         * the task unchanged. Absent: from the end of the task.
         */
        at: z.number().int().min(1).optional(),
        ...runSettings,
        /** The environment variable that holds the model's key, by name. */
        keyEnv: keyVariableSchema.optional(),
        /** Only for an imported session: where the new task works. */
        place: z
          .object({
            projectId: projectIdSchema,
            /** Absent: in place, with the session's uncommitted changes. */
            isolation: isolationSchema.optional(),
          })
          .optional(),
      }),
    )
    .output(z.object({ taskId: taskIdSchema })),
  /**
   * Lists where an imported session can be continued. `at`: from this entry; absent: from its end. `projectId`: adds
   * the project that the user chose. INVALID for any other task.
   */
  continuation: base
    .input(
      z.object({
        taskId: idTextSchema,
        at: z.number().int().min(1).optional(),
        projectId: projectIdSchema.optional(),
      }),
    )
    .output(continuationSchema),
  /** Abandons an interrupted task, or one that has not started. Its record stays. */
  abandon: base.input(z.object({ taskId: idTextSchema })).output(z.object({})),
  /** Returns others' changes to a file in a drift report, as a unified diff; empty for binary files. */
  changedFileDiff: base
    .input(
      z.object({
        taskId: idTextSchema,
        path: z.string(),
        blobs: z.object({ from: blobIdSchema, to: blobIdSchema }),
      }),
    )
    .output(z.object({ patch: z.string() })),
  /**
   * Sets the model and permissions of a root from its next run on. REFUSED `not-set-up`: the model has no key. INVALID
   * `model`: unknown provider.
   */
  setNextRun: base.input(z.object({ taskId: idTextSchema, ...runSettings })).output(z.object({})),
  /** Renames a root. */
  rename: base
    .input(z.object({ taskId: idTextSchema, title: z.string().trim().min(1).max(titleCharsMax) }))
    .output(z.object({})),
  /** Adds the URL of a pull request to a task's transcript. INVALID: not an http or https URL. */
  linkPullRequest: base
    .input(z.object({ taskId: idTextSchema, url: z.string() }))
    // False: it was linked already.
    .output(z.object({ linked: z.boolean() })),
  /** Runs a failed task again, as a new run. Tasks that depend on it start when it completes. */
  retry: base.input(z.object({ taskId: idTextSchema })).output(z.object({})),
}
