/** The contract's answers about workspaces and transcripts. */
import { implement } from '@orpc/server'
import { contract } from '../../../src/shared/contract/index.ts'
import type { Happenings } from './happenings.ts'
import type { Memory } from './memory.ts'

/** What every command printed that printed more than its result shows. */
const wholeOutput = Array.from({ length: 4000 }, (_, line) => `line ${line + 1}\n`).join('')

const os = implement(contract)

export function workspaceAnswers(deps: { memory: Memory; happenings: Happenings }) {
  const { ledger, record, sessionOf, taskIdOf } = deps.memory
  const { archive } = deps.happenings
  return {
    readOutput: os.workspace.readOutput.handler(({ input }) => ({
      text: wholeOutput.slice(input.offset, input.offset + input.bytesMax),
      total: wholeOutput.length,
      nextOffset:
        input.offset + input.bytesMax < wholeOutput.length ? input.offset + input.bytesMax : null,
    })),
    listTranscripts: os.workspace.listTranscripts.handler(() => ({
      transcripts: [...ledger.tasks.values()].reverse().map((task) => ({
        taskId: task.id,
        parentId: task.parentId,
        rootId: task.rootId,
        projectId: task.projectId,
        title: task.title,
        agent: task.agent,
        status: task.status,
        projectDir: task.projectDir,
        runs: task.runs.length,
        entries: sessionOf(task.id).entries.length,
        bytes: sessionOf(task.id).entries.length * 700,
        startedAt: task.startedAt,
        endedAt: task.endedAt,
        archived: task.archived,
        hasReport: task.hasReport,
        resumedFrom: null,
        pinned: task.pinned,
        transcriptExpired: task.transcriptExpired,
      })),
    })),
    list: os.workspace.list.handler(() => ({ workspaces: [] })),
    remove: os.workspace.remove.handler(({ input }) => {
      const id = taskIdOf(input.workspaceId)
      archive(id)
      return { removed: [id] }
    }),
    leftovers: os.workspace.leftovers.handler(() => ({ leftovers: [] })),
    restore: os.workspace.restore.handler(({ input }) => {
      const workspaceId = taskIdOf(input.workspaceId)
      record({ type: 'workspace.restored', workspaceId, branch: null })
      return { restored: [workspaceId], left: [] }
    }),
    trash: os.workspace.trash.handler(({ input }) => {
      const id = taskIdOf(input.workspaceId)
      record({ type: 'workspace.trashed', workspaceId: id })
      return { trashed: [id] }
    }),
    untrash: os.workspace.untrash.handler(({ input }) => {
      record({ type: 'workspace.untrashed', workspaceId: taskIdOf(input.workspaceId) })
      return {}
    }),
    diff: os.workspace.diff.handler(() => ({
      files: [
        {
          path: 'src/lamp.ts',
          change: 'modified' as const,
          oldPath: null,
          additions: 2,
          deletions: 1,
        },
        {
          path: 'docs/night.md',
          change: 'added' as const,
          oldPath: null,
          additions: 2,
          deletions: 0,
        },
      ],
      patch: fakePatch,
      truncated: false,
      target: { path: '/home/ada/projects/harbour-lights', branch: 'main' },
    })),
    openFolder: os.workspace.openFolder.handler(() => ({})),
  }
}

const fakePatch = `diff --git a/src/lamp.ts b/src/lamp.ts
index 83db48f..bf2a1c0 100644
--- a/src/lamp.ts
+++ b/src/lamp.ts
@@ -1,3 +1,4 @@
 export function lamp(hour: number): 'on' | 'off' {
-  return hour > 20 ? 'on' : 'off'
+  const night = hour >= 20 || hour < 6
+  return night ? 'on' : 'off'
 }
diff --git a/docs/night.md b/docs/night.md
new file mode 100644
index 0000000..3b18e51
--- /dev/null
+++ b/docs/night.md
@@ -0,0 +1,2 @@
+# Night
+The lamp burns from 20 to 6.
`
