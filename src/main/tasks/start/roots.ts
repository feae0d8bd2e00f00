/** Creates root tasks: from a user's prompt, as a restart of another, or as a continuation of another (T4). */
import type { PreparedAgent } from '../../../shared/agents/driver/agent-driver.ts'
import { newTaskId, type TaskId } from '../../../shared/records/ids.ts'
import type { LedgerEvent, LedgerEventOf } from '../../../shared/records/ledger.ts'
import { removeDurable } from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import type { StartingFiles } from '../../workspaces/working-dirs.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import { type CheckedImage, keepImages } from '../messages/prompt-images.ts'
import { type AgentSpecs, refuseUnlessReady } from './agent-specs.ts'

interface NewRoot
  extends Pick<
    LedgerEventOf<'task.created'>,
    'projectId' | 'title' | 'prompt' | 'model' | 'isolation' | 'resumedFrom' | 'options'
  > {
  prepared: Pick<PreparedAgent, 'spec' | 'files'>
  /** The images of its prompt. */
  images?: readonly CheckedImage[]
  /** What its worktree is made from; the project's HEAD unless given. */
  files?: StartingFiles | undefined
  /** Events recorded together with it. */
  also?: LedgerEvent[]
}

export interface Roots {
  /**
   * Resolves once the task is durable and its worktree exists (T1, T2). Leaves nothing behind if it
   * rejects. Throws FailureError before creating anything if its agent could not begin, for example
   * because its model has no key.
   */
  create(root: NewRoot): Promise<TaskId>
}

export function createRoots(deps: {
  ledger: Ledger
  workspaces: WorkspaceService
  layout: DataLayout
  agentSpecs: AgentSpecs
}): Roots {
  const { ledger, workspaces, layout, agentSpecs } = deps

  async function create({
    prepared,
    images = [],
    files,
    also = [],
    ...root
  }: NewRoot): Promise<TaskId> {
    const { projectId, title, isolation } = root
    refuseUnlessReady(await agentSpecs.checkPrepared(prepared))
    const taskId = newTaskId()
    try {
      await agentSpecs.save(layout.sessionDir(taskId), prepared)
      const kept = await keepImages(layout.sessionDir(taskId), images)
      const made = await workspaces.workingDirs.make(taskId, {
        projectId,
        title,
        parent: null,
        isolation,
        files,
      })
      await ledger.record(
        {
          type: 'task.created',
          taskId,
          parentId: null,
          rootId: taskId,
          agent: prepared.spec.agent,
          spec: prepared.spec,
          callId: null,
          dependsOn: [],
          plan: {},
          ...(kept.length > 0 && { images: kept }),
          ...root,
        },
        { type: 'workspace.created', workspaceId: taskId, kind: 'root', ...made },
        ...also,
      )
      return taskId
    } catch (error) {
      await workspaces.workingDirs.discard(taskId)
      await removeDurable(layout.sessionDir(taskId))
      throw error
    }
  }

  return { create }
}
