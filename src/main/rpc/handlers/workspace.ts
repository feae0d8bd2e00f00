/** The handlers of workspaces. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const workspaceHandlers = (
  { os, taskId, inScope }: Calls,
  { workspaces, transcripts, treeChanges, retention, openFolder }: RouterDependencies,
) => {
  const { projects, records } = workspaces
  return {
    getSubagentTranscript: os.workspace.getSubagentTranscript.handler(({ input }) => {
      const id = inScope(input)
      const at = input.last ? 'end' : { seq: input.fromSeq ?? 1 }
      return transcripts.page(id, { at, limit: input.limit, previews: false })
    }),
    readOutput: os.workspace.readOutput.handler(({ input }) =>
      records.outputPart(taskId(input.taskId), input),
    ),
    listTranscripts: os.workspace.listTranscripts.handler(async ({ input }) => ({
      transcripts: await records.listTranscripts(input),
    })),
    list: os.workspace.list.handler(async ({ input }) => ({
      workspaces: await workspaces.list(input.archived),
    })),
    remove: os.workspace.remove.handler(async ({ input }) => ({
      removed: await workspaces.remove(taskId(input.workspaceId, 'workspace'), {
        discardUnknownWorktree: input.discardUnknownWorktree,
      }),
    })),
    leftovers: os.workspace.leftovers.handler(async ({ input }) => ({
      leftovers: await workspaces.leftovers(taskId(input.workspaceId, 'workspace')),
    })),
    restore: os.workspace.restore.handler(({ input }) =>
      retention.restore(taskId(input.workspaceId, 'workspace')),
    ),
    trash: os.workspace.trash.handler(async ({ input }) => ({
      trashed: await workspaces.trash(taskId(input.workspaceId, 'workspace')),
    })),
    untrash: os.workspace.untrash.handler(async ({ input }) => {
      await workspaces.untrash(taskId(input.workspaceId, 'workspace'))
      return {}
    }),
    compareTarget: os.workspace.compareTarget.handler(({ input }) =>
      workspaces.compareTarget(taskId(input.workspaceId, 'workspace')),
    ),
    diff: os.workspace.diff.handler(({ input }) =>
      workspaces.diff(taskId(input.workspaceId, 'workspace'), input),
    ),
    treeChanges: os.workspace.treeChanges.handler(({ input, signal }) =>
      treeChanges.count(taskId(input.workspaceId, 'workspace'), signal),
    ),
    findFiles: os.workspace.findFiles.handler(async ({ input }) => {
      const dir =
        'projectId' in input
          ? projects.known(input.projectId).dir
          : workspaces.folderOf(taskId(input.workspaceId, 'workspace'))
      return { files: await workspaces.findFiles(dir, input.query, input.limit) }
    }),
    openFolder: os.workspace.openFolder.handler(async ({ input }) => {
      await openFolder(workspaces.folderOf(taskId(input.workspaceId, 'workspace')), input.with)
      return {}
    }),
  }
}
