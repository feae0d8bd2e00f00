/** The contract's answers about workspaces and transcripts. */
import { implement } from '@orpc/server'
import { contract } from '../../../src/shared/contract/index.ts'
import type { Happenings } from './happenings.ts'
import type { Memory } from './memory.ts'

/** What every command printed that printed more than its result shows. */
const wholeOutput = Array.from({ length: 4000 }, (_, line) => `line ${line + 1}\n`).join('')

const os = implement(contract)

export function workspaceAnswers(deps: { memory: Memory; happenings: Happenings }) {
  const { state, record, sessionOf, find, unrestorable, unchanged } = deps.memory
  const { archive } = deps.happenings
  return {
    readOutput: os.workspace.readOutput.handler(({ input }) => ({
      text: wholeOutput.slice(input.offset, input.offset + input.bytesMax),
      total: wholeOutput.length,
      nextOffset:
        input.offset + input.bytesMax < wholeOutput.length ? input.offset + input.bytesMax : null,
    })),
    listTranscripts: os.workspace.listTranscripts.handler(() => ({
      transcripts: [...state.tasks.values()].map((task) => ({
        ...task,
        taskId: task.id,
        runs: task.runs.length,
        entries: sessionOf(task.id).entries.length,
        bytes: 1234,
      })),
    })),
    list: os.workspace.list.handler(({ input }) => ({
      workspaces: [...state.tasks.values()]
        .filter((task) => task.archived === input.archived && task.workspace !== null)
        .map((task) => ({
          id: task.id,
          kind: task.parentId ? ('task' as const) : ('root' as const),
          title: task.title,
          projectDir: task.projectDir,
          path: task.workspace?.path ?? '',
          branch: task.workspace?.branch ?? null,
          status: task.status,
          archived: task.archived,
          pending: null,
          createdAt: task.createdAt,
          bytes: 2_000_000,
        })),
    })),
    remove: os.workspace.remove.handler(({ input, errors }) => {
      const id = find(input.workspaceId, errors)
      if (state.tasks.get(id)?.archived) return { removed: [] }
      archive(id)
      return { removed: [id] }
    }),
    leftovers: os.workspace.leftovers.handler(() => ({ leftovers: [] })),
    restore: os.workspace.restore.handler(({ input, errors }) => {
      const id = find(input.workspaceId, errors)
      const below = [...state.tasks.values()].filter(
        ({ parentId, archived, status }) => parentId === id && archived && status === 'interrupted',
      )
      const restored = [id, ...below.map((task) => task.id)].filter((one) => !unrestorable.has(one))
      for (const workspaceId of restored)
        record({ type: 'workspace.restored', workspaceId, branch: null })
      return {
        restored,
        left: below.flatMap(({ id: taskId, title }) =>
          unrestorable.has(taskId) ? [{ taskId, title, why: 'Its commits are gone.' }] : [],
        ),
      }
    }),
    trash: os.workspace.trash.handler(({ input, errors }) => {
      const id = find(input.workspaceId, errors)
      record({ type: 'workspace.trashed', workspaceId: id })
      return { trashed: [id] }
    }),
    untrash: os.workspace.untrash.handler(({ input, errors }) => {
      record({ type: 'workspace.untrashed', workspaceId: find(input.workspaceId, errors) })
      return {}
    }),
    diff: os.workspace.diff.handler(({ input, errors }) => {
      const target = { path: '/code/api', branch: 'main' }
      if (unchanged.has(find(input.workspaceId, errors)))
        return { files: [], patch: '', truncated: false, target }
      return {
        files: [
          {
            path: 'a.txt',
            change: 'modified' as const,
            oldPath: null,
            additions: 1,
            deletions: 1,
          },
        ],
        patch: 'diff --git a/a.txt b/a.txt\n-old\n+new\n',
        truncated: false,
        target,
      }
    }),
    openFolder: os.workspace.openFolder.handler(() => ({})),
  }
}
