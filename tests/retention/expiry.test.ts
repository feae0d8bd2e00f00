/** What may happen to a transcript while its turn to go to the trash has not come. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { archivedTranscriptDir } from '../../src/main/artifacts/index.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { createExpiry } from '../../src/main/retention/expiry.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { expiredName } from '../../src/main/sessions/trash-names.ts'
import type { WorkspaceService } from '../../src/main/workspaces/workspace-service.ts'
import { newProjectId, newReceiptId, newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { temporaryDir } from '../harness.ts'
import { taskCreated } from '../ledger/histories.ts'

/** `meanwhile`: runs once, while the first transcript waits for its turn. */
async function openExpiry(meanwhile: () => Promise<unknown>) {
  const layout = layoutOf(await temporaryDir())
  const ledger = await openLedger(layout.ledger, layout.dataDir)
  onTestFinished(() => ledger.close())
  const problems: unknown[] = []
  let waited = false
  const workspaces = {
    async exclusively<T>(_: TaskId, work: () => Promise<T>) {
      if (!waited) {
        waited = true
        await meanwhile()
      }
      return work()
    },
    records: {
      sessionHome: async (id: TaskId) =>
        [layout.sessionDir(id), layout.archiveDir(id)].find(existsSync) ?? null,
    },
  } as unknown as WorkspaceService
  const expiry = createExpiry({
    ledger,
    layout,
    workspaces,
    signal: new AbortController().signal,
    onProblem: (text, error) => problems.push([text, error]),
  })
  const expire = (taskId: TaskId) =>
    ledger.record({
      type: 'transcript.expired',
      taskId,
      receiptId: newReceiptId(),
      keptUntil: 1,
    })
  const inTrash = (id: TaskId) => join(layout.trash, expiredName(id), 'chat.jsonl')
  return { layout, ledger, expiry, expire, inTrash, problems }
}

it('[X3] leaves a transcript alone that was restored meanwhile', async () => {
  const id = newTaskId()
  const restored = () =>
    opened.ledger.record({ type: 'transcript.unexpired', taskId: id, because: 'person' })
  const opened = await openExpiry(restored)
  const { layout, ledger, expiry, expire, inTrash, problems } = opened
  const chat = join(layout.archiveDir(id), 'chat.jsonl')
  await mkdir(layout.archiveDir(id), { recursive: true })
  await writeFile(chat, 'said')
  await ledger.record(taskCreated(id, newProjectId()))
  await expire(id)
  expect(await expiry.carryOut(id)).toBe(false)
  expect(await readFile(chat, 'utf8')).toBe('said')
  expect([existsSync(inTrash(id)), problems]).toEqual([false, []])
})

it('[X3] finds a transcript whose parent was archived meanwhile', async () => {
  const [root, child] = [newTaskId(), newTaskId()]
  const archived = async () => {
    await mkdir(opened.layout.archive, { recursive: true })
    await rename(opened.layout.sessionDir(root), opened.layout.archiveDir(root))
  }
  const opened = await openExpiry(archived)
  const { layout, ledger, expiry, expire, inTrash, problems } = opened
  const kept = archivedTranscriptDir(layout.sessionDir(root), child)
  await mkdir(kept, { recursive: true })
  await writeFile(join(kept, 'chat.jsonl'), 'said')
  const project = newProjectId()
  await ledger.record(taskCreated(root, project), taskCreated(child, project, root))
  await expire(child)
  expect(await expiry.carryOut(child)).toBe(true)
  expect(await readFile(inTrash(child), 'utf8')).toBe('said')
  expect([existsSync(layout.sessionDir(root)), problems]).toEqual([false, []])
})
