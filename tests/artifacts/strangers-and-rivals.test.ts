/** What is not known stays (R3), and of two artifacts for one task the newer wins while the older is kept (R4). */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  archivedTranscriptDir,
  archiveTranscript,
  expireTranscript,
  patchDir,
  patchIndex,
  rollUpArtifacts,
  savePatch,
  transcriptIndex,
  unexpireTranscript,
} from '../../src/main/artifacts/index.ts'
import { openJournal } from '../../src/main/journal/index.ts'
import { newReceiptId, newTaskId } from '../../src/shared/records/ids.ts'

let dir: string
let [own, parent, grandparent] = ['', '', '']
const taskId = newTaskId()
const parentId = newTaskId()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shiplog-artifacts-'))
  ;[own, parent, grandparent] = ['own', 'parent', 'grandparent'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ]
  for (const one of [own, parent, grandparent]) await mkdir(one)
})
afterEach(() => rm(dir, { recursive: true, force: true }))

/** A transcript that says `text`, archived into `to` at `nowMs`. */
async function archived(to: string, text: string, nowMs: number): Promise<void> {
  await mkdir(own, { recursive: true })
  const journal = await openJournal(join(own, 'chat.jsonl'))
  await journal.append({ v: 1, type: 'message', text })
  await journal.close()
  await archiveTranscript(own, to, { taskId, ancestorIds: [parentId], title: text, nowMs })
}

const patch = (to: string, text: string, updatedAtMs: number) =>
  savePatch(to, taskId, async (folder) => {
    await writeFile(join(folder, 'series.mbox'), text)
    return {
      childTaskId: taskId,
      parentWorkspaceId: parentId,
      ancestorWorkspaceIds: [parentId],
      title: text,
      createdAtMs: 1,
      updatedAtMs,
      status: 'ready',
      baseCommit: null,
      headCommit: null,
      finalCommit: null,
      paths: [],
      files: [],
    }
  })

const textIn = (folder: string) => readFile(join(folder, 'chat.jsonl'), 'utf8')
const patchIn = (folder: string) => readFile(join(folder, 'series.mbox'), 'utf8')

describe('[R3] what nobody knows', () => {
  it.each(['subagent-transcripts', 'subagent-patches', 'subagent-reports'])(
    'stays in %s when everything else was rolled up, a file and a folder alike',
    async (folder) => {
      await archived(parent, 'mine', 1)
      await patch(parent, 'mine', 1)
      await mkdir(join(parent, folder, 'somebody'), { recursive: true })
      await writeFile(join(parent, folder, 'notes.txt'), 'by hand')
      await writeFile(join(parent, folder, 'somebody', 'notes.txt'), 'by hand')
      // An id, and nothing that an index names.
      const stranger = join(parent, folder, newTaskId())
      await mkdir(stranger)
      await writeFile(join(stranger, 'notes.txt'), 'by hand')
      await rollUpArtifacts(parent, grandparent)
      for (const place of [join(parent, folder), join(parent, folder, 'somebody'), stranger])
        expect(await readFile(join(place, 'notes.txt'), 'utf8')).toBe('by hand')
    },
  )

  it('goes along with the folder of a task that is rolled up', async () => {
    await archived(parent, 'mine', 1)
    await writeFile(join(archivedTranscriptDir(parent, taskId), 'notes.txt'), 'by hand')
    await rollUpArtifacts(parent, grandparent)
    const moved = archivedTranscriptDir(grandparent, taskId)
    expect(await readFile(join(moved, 'notes.txt'), 'utf8')).toBe('by hand')
  })

  it('stays in the session directory that a transcript is moved out of', async () => {
    await writeFile(join(own, 'notes.txt'), 'by hand')
    await archived(parent, 'mine', 1)
    expect(await readdir(own)).toEqual(['notes.txt'])
  })

  it('stays in the trash when the transcript that it lies with is restored', async () => {
    await archived(parent, 'mine', 1)
    const place = { keeperDir: parent, own: false }
    const trash = join(dir, 'trash', 'transcript')
    await expireTranscript(place, taskId, trash, { receiptId: newReceiptId(), atMs: 1 })
    await writeFile(join(trash, 'notes.txt'), 'by hand')
    await unexpireTranscript(place, taskId, trash)
    expect(await readdir(trash)).toEqual(['notes.txt'])
    expect(await textIn(archivedTranscriptDir(parent, taskId))).toContain('mine')
  })
})

describe('[R4] both sides hold one', () => {
  it.each([
    ['what comes up is newer', 2, 1, 'below', 'above'],
    ['what is there is newer', 1, 2, 'above', 'below'],
    ['they are of one moment', 1, 1, 'below', 'above'],
  ])('transcript: %s, and the other is kept aside', async (_, belowMs, aboveMs, wins, loses) => {
    await archived(grandparent, 'above', aboveMs)
    await archived(parent, 'below', belowMs)
    await rollUpArtifacts(parent, grandparent)
    const place = archivedTranscriptDir(grandparent, taskId)
    expect(await textIn(place)).toContain(wins)
    expect(await textIn(`${place}.older-1`)).toContain(loses)
    expect(await transcriptIndex(grandparent).get(taskId)).toMatchObject({ title: wins })
  })

  it.each([
    ['what comes up is newer', 2, 1, 'below', 'above'],
    ['what is there is newer', 1, 2, 'above', 'below'],
    ['they are of one moment', 1, 1, 'below', 'above'],
  ])('patch: %s, and the other is kept aside', async (_, belowMs, aboveMs, wins, loses) => {
    await patch(grandparent, 'above', aboveMs)
    await patch(parent, 'below', belowMs)
    await rollUpArtifacts(parent, grandparent)
    const place = patchDir(grandparent, taskId)
    expect(await patchIn(place)).toBe(wins)
    expect(await patchIn(`${place}.older-1`)).toBe(loses)
    expect(await patchIndex(grandparent).get(taskId)).toMatchObject({ title: wins })
  })
})
