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
        /** Shown to the agent with the prompt. INVALID: one is no image that models take, or too large. */
        images: promptImagesSchema.default([]),
        title: z.string().optional(),
        isolation: isolationSchema.default('worktree'),
        agentsAtOnce: z.number().int().min(1).max(agentsAtOnceMax).optional(),
        /** True: finished sub-agents' workspaces are kept (`--keep`). */
        keep: z.boolean().default(false),
        /** Variables of the host that its agents get although they are secret, by name (K2). */
        env: z.array(variableNameSchema).max(variablesMax).optional(),
        /** Absent: the project's; of a scripted agent: it plays the person's own script, about which nothing is asked. */
        permissions: permissionModeSchema.optional(),
        /** What its whole tree may use (Q2); null: no limit. Absent: that of the settings. */
        budget: budgetSchema.nullable().optional(),
        /** How often its tree waits for a spent quota (Q1); 0: never. Absent: that of the settings. */
        quotaWaits: z.number().int().min(0).max(quotaWaitsMax).optional(),
        /** Whether agents of the tree may read the record of their sub-agents (A5). Absent: that of the settings. */
        readsRecord: z.boolean().optional(),
      }),
    )
    .output(z.object({ taskId: taskIdSchema })),
  /**
   * A follow-up to a root: its next run (T7). Durable when it resolves. While one is running it is queued: the root goes
   * on with it once that has completed, and after any other end it waits for `startWaiting`. With `atNextTurn` it is a
   * message for the agent that runs now, root or not, before its next turn (Q3): REFUSED when none runs that reads
   * messages. One that a root ends without having read becomes a follow-up.
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
  startWaiting: base.input(z.object({ taskId: idTextSchema })).output(z.object({})),
  /** Withdraws a waiting follow-up. */
  withdrawPrompt: base
    .input(z.object({ taskId: idTextSchema, promptId: promptIdSchema }))
    .output(z.object({})),
  /** Interrupts the task and everything below it; partial turns are kept. Tasks that had not started are cancelled. */
  stop: base.input(z.object({ taskId: idTextSchema })).output(stoppedTasksSchema),
  /**
   * Requests a report from the task and everything below it (Q3): each running agent gets one last turn, which may call
   * only `agent_report`; tasks that had not started are cancelled. REFUSED if none of them runs.
   */
  wrapUp: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ asked: z.array(taskIdSchema), cancelled: z.array(taskIdSchema) })),
  /**
   * Has a model summarise its conversation before its next turn, and continue with the summary: in its run, or in the next
   * one where it does not run. REFUSED for an agent without a model, and for one that will not run again.
   */
  compact: base
    .input(z.object({ taskId: idTextSchema }))
    .output(z.object({ at: z.enum(['next-turn', 'next-run']) })),
  /** Wakes a tree that waits for a quota ahead of time. REFUSED if it does not sleep. */
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
        /** True: the archived ones as well. */
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
        /** Only descendants of it are seen (A5). */
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
   * Resumes them, each as a new run of its task. Resolves once each runs or waits for its turn. With
   * conflicts it begins nothing, and says which, unless `force`.
   */
  resume: base
    .input(
      z.object({
        selector: resumeSelectorSchema,
        force: z.boolean().default(false),
        /** For each of them; `resume` where nothing is said. */
        choices: z.partialRecord(taskIdSchema, resumeChoiceSchema).default({}),
        /** How many of them at once; 3 when they are of several trees. */
        agentsAtOnce: z.number().int().min(1).max(agentsAtOnceMax).optional(),
        /** The mode of permissions that they have from now on; absent: as before. */
        permissions: permissionModeSchema.optional(),
        /** A prompt for the topmost of them. */
        prompt: z.string().optional(),
        /** With the prompt, as in `start`. */
        images: promptImagesSchema.default([]),
      }),
    )
    .output(resumeOutcomeSchema),
  /** Resolves with how each ended, once none of them runs or waits for its turn any more. */
  resumeEnded: base
    .input(z.object({ taskIds: z.array(taskIdSchema) }))
    .output(z.object({ ended: z.array(resumeEndSchema) })),
  /**
   * Abandons an interrupted task, with the sub-agents below it that were interrupted or never began, and runs its
   * assignment again as a new task (S2). Refused while one of them runs.
   */
  restart: base.input(z.object({ taskId: idTextSchema })).output(
    z.object({
      taskId: taskIdSchema,
      /** Those below the old one that were abandoned with it. */
      abandoned: z.array(taskIdSchema),
    }),
  ),
  /**
   * A new root that continues a task, with its history and its files (T4). An interrupted task is continued with another
   * agent or model, and is abandoned by that. An imported session needs a prompt and a place (INVALID `prompt`, `place`),
   * and is continued with the files as they are now. REFUSED `not-set-up`: that agent can't run here.
   */
  continueFrom: base
    .input(
      z.object({
        taskId: idTextSchema,
        /** Absent: the old one's, with its images. */
        prompt: z.string().optional(),
        images: promptImagesSchema.default([]),
        /** Another agent, with its model and key. Absent: the same. */
        agent: agentChoiceSchema.optional(),
        /**
         * An entry: continues from the end of its turn, in a worktree with the files of that moment, and leaves the
         * task as it is. Absent: from the end of the task.
         */
        at: z.number().int().min(1).optional(),
        ...runSettings,
        /** The environment variable that holds the model's key, by name. */
        keyEnv: keyVariableSchema.optional(),
        /** Only of an imported session: where the new task works. */
        place: z
          .object({
            projectId: projectIdSchema,
            /** Absent: in the folder itself, which has what the session left uncommitted. */
            isolation: isolationSchema.optional(),
          })
          .optional(),
      }),
    )
    .output(z.object({ taskId: taskIdSchema })),
  /**
   * Where an imported session can be continued. `at`: at this entry; absent: at its end. `projectId`: a project that the
   * person chose, which is among the places then. INVALID for any other task.
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
  /** What others changed in one file of a task, as a drift report names it: a unified diff, empty for binary files. */
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
   * What a root has from its next run on; absent: as before. REFUSED `not-set-up`: the model has no key. INVALID
   * `model`: there is no such provider.
   */
  setNextRun: base.input(z.object({ taskId: idTextSchema, ...runSettings })).output(z.object({})),
  /** Renames a root. */
  rename: base
    .input(z.object({ taskId: idTextSchema, title: z.string().trim().min(1).max(titleCharsMax) }))
    .output(z.object({})),
  /** Adds the address of a pull request to a task's transcript. INVALID for what is no http or https address. */
  linkPullRequest: base
    .input(z.object({ taskId: idTextSchema, url: z.string() }))
    // False: it was linked already.
    .output(z.object({ linked: z.boolean() })),
  /** Runs a failed task again, as a new run of it; what depends on it is released when it completes. */
  retry: base.input(z.object({ taskId: idTextSchema })).output(z.object({})),
}
