import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  archiveTranscript,
  readReport,
  reportIndex,
  rollUpArtifacts,
  saveReport,
  transcriptIndex,
} from '../../src/main/artifacts/index.ts'
import { openJournal } from '../../src/main/journal/index.ts'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'

let dir: string
let parent: string
let grandparent: string
const taskId = newTaskId()
const parentId = newTaskId()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shiplog-artifacts-'))
  parent = join(dir, 'parent')
  grandparent = join(dir, 'grandparent')
  await mkdir(parent)
  await mkdir(grandparent)
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const report = (over: Partial<Parameters<typeof saveReport>[1]> = {}) => ({
  taskId,
  run: 1,
  title: 'Tests added',
  markdown: '# Done\n',
  ancestorIds: [parentId],
  nowMs: 1000,
  ...over,
})

describe('reports', () => {
  it('[A4] keeps the report of every run; the newest is meant when none is named', async () => {
    await saveReport(parent, report())
    await saveReport(parent, report({ run: 2, markdown: 'Again', title: 'Second' }))
    expect(await readReport(parent, taskId)).toMatchObject({
      kind: 'found',
      report: { run: 2, reportMarkdown: 'Again' },
    })
    expect(await readReport(parent, taskId, 1)).toMatchObject({
      kind: 'found',
      report: { run: 1, title: 'Tests added' },
    })
    expect(await readReport(parent, taskId, 3)).toEqual({ kind: 'not-found' })
  })

  it('serialises updates of one index: twenty children report at once and none is lost', async () => {
    const ids = Array.from({ length: 20 }, () => newTaskId())
    await Promise.all(ids.map((id) => saveReport(parent, report({ taskId: id }))))
    expect([...(await reportIndex(parent).read()).keys()].sort()).toEqual(ids.sort())
  })

  it.each([
    ['missing', null],
    ['damaged', '{"version": 1, "artifactsByChild'],
    ['of another version', '{"version": 7, "artifactsByChildTaskId": {}}'],
  ])('[A2] rebuilds an index that is %s, and keeps the original aside', async (_, content) => {
    await saveReport(parent, report())
    const index = join(parent, 'subagent-reports.json')
    if (content === null) await rm(index)
    else await writeFile(index, content)
    expect(await readReport(parent, taskId)).toMatchObject({ kind: 'found' })
    const other = newTaskId()
    await saveReport(parent, report({ taskId: other }))
    expect([...(await reportIndex(parent).read()).keys()].sort()).toEqual([taskId, other].sort())
    const aside = (await readdir(parent)).filter((name) => name.includes('.damaged-'))
    expect(aside).toHaveLength(content === null ? 0 : 1)
    if (aside[0]) expect(await readFile(join(parent, aside[0]), 'utf8')).toBe(content)
  })

  it('[A1] finds a payload that the index does not name yet', async () => {
    await saveReport(parent, report({ taskId: newTaskId() }))
    const index = await readFile(join(parent, 'subagent-reports.json'))
    await saveReport(parent, report())
    await writeFile(join(parent, 'subagent-reports.json'), index)
    expect(await readReport(parent, taskId)).toMatchObject({ report: { title: 'Tests added' } })
  })

  it('[A2] makes no index without entries of a folder that it can’t read', async () => {
    await writeFile(join(parent, 'subagent-reports'), 'not a folder')
    await expect(reportIndex(parent).read()).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it('[A5] distinguishes a missing payload from a report that never existed', async () => {
    await saveReport(parent, report())
    await rm(join(parent, 'subagent-reports', taskId, '1', 'report.md'))
    expect((await readReport(parent, taskId)).kind).toBe('damaged')
    expect((await readReport(parent, newTaskId())).kind).toBe('not-found')
  })

  it('[A5] shows no report that was changed since the agent gave it', async () => {
    await saveReport(parent, report({ markdown: '# Done\n' }))
    const path = join(parent, 'subagent-reports', taskId, '1', 'report.md')
    await writeFile(path, '# Gone\n')
    const read = await readReport(parent, taskId)
    expect(read).toMatchObject({ kind: 'damaged' })
    expect(JSON.stringify(read)).toContain('it was changed since the agent gave it')
  })

  it('[A3] does not treat other names as tasks, nor follow a link out of the directory', async () => {
    const outside = join(dir, 'outside')
    await mkdir(join(outside, '1'), { recursive: true })
    await mkdir(join(parent, 'subagent-reports'))
    await symlink(outside, join(parent, 'subagent-reports', newTaskId()))
    await mkdir(join(parent, 'subagent-reports', 'not-an-id'))
    expect((await reportIndex(parent).read()).size).toBe(0)
  })
})

describe('transcripts', () => {
  async function session(id: TaskId, messages: number): Promise<string> {
    const from = join(dir, id)
    const journal = await openJournal(join(from, 'chat.jsonl'))
    for (let n = 0; n < messages; n++) await journal.append({ type: 'message', n })
    await journal.append({ type: 'run-end' })
    await journal.close()
    return from
  }

  it('[R2] moves the transcript into the parent; a second call changes nothing', async () => {
    const from = await session(taskId, 3)
    const about = { taskId, ancestorIds: [parentId], title: 'A task', nowMs: 5 }
    await archiveTranscript(from, parent, about)
    const entry = await transcriptIndex(parent).get(taskId)
    expect(entry).toMatchObject({
      status: 'complete',
      messageCount: 3,
      entryCount: 4,
      chatPath: `subagent-transcripts/${taskId}/chat.jsonl`,
    })
    await archiveTranscript(from, parent, about)
    expect(await transcriptIndex(parent).get(taskId)).toEqual(entry)
  })

  it('[R2] reads no transcript whose counts are known, and counts one of another size', async () => {
    const about = { taskId, ancestorIds: [parentId], title: 'A task', nowMs: 5 }
    const from = await session(taskId, 3)
    const { size: bytes } = await stat(join(from, 'chat.jsonl'))
    // Not what is in it: so it shows which of the two was taken.
    const counts = { messages: 70, entries: 80, bytes }
    await archiveTranscript(from, parent, { ...about, counted: counts })
    expect(await transcriptIndex(parent).get(taskId)).toMatchObject({
      status: 'complete',
      messageCount: 70,
      entryCount: 80,
      bytes,
    })
    await archiveTranscript(from, parent, { ...about, counted: { ...counts, bytes: bytes - 1 } })
    expect(await transcriptIndex(parent).get(taskId)).toMatchObject({
      messageCount: 3,
      entryCount: 4,
    })
  })

  it('[A8] gives a task without a transcript an artifact with its true status', async () => {
    await archiveTranscript(join(dir, 'nothing'), parent, {
      taskId,
      ancestorIds: [parentId],
      title: 'A task',
      nowMs: 5,
    })
    expect(await transcriptIndex(parent).get(taskId)).toMatchObject({
      status: 'missing',
      messageCount: 0,
    })
  })

  it('[A2] rebuilds the index with its ancestry', async () => {
    await archiveTranscript(await session(taskId, 1), parent, {
      taskId,
      ancestorIds: [parentId],
      title: 'A task',
      nowMs: 5,
    })
    const before = await transcriptIndex(parent).get(taskId)
    await rm(join(parent, 'subagent-transcripts.json'))
    expect(await transcriptIndex(parent).get(taskId)).toEqual(before)
  })
})

describe('roll-up', () => {
  it('[R1] moves everything up and leaves nothing behind', async () => {
    await saveReport(parent, report())
    const from = join(dir, 'child')
    const journal = await openJournal(join(from, 'chat.jsonl'))
    await journal.append({ type: 'message' })
    await journal.close()
    await archiveTranscript(from, parent, {
      taskId,
      ancestorIds: [parentId],
      title: 'A task',
      nowMs: 5,
    })
    await rollUpArtifacts(parent, grandparent)
    expect(await readdir(parent)).toEqual([])
    expect(await readReport(grandparent, taskId)).toMatchObject({
      kind: 'found',
      report: { ancestorIds: [parentId] },
    })
    expect(await transcriptIndex(grandparent).get(taskId)).toMatchObject({ messageCount: 1 })
    await rollUpArtifacts(parent, grandparent)
    expect(await readReport(grandparent, taskId)).toMatchObject({ kind: 'found' })
  })

  it('[A2] keeps an index that it could not read', async () => {
    await saveReport(parent, report())
    await writeFile(join(parent, 'subagent-reports.json'), 'no JSON')
    await rollUpArtifacts(parent, grandparent)
    expect(await readReport(grandparent, taskId)).toMatchObject({ kind: 'found' })
    const [kept, ...others] = await readdir(parent)
    expect(others).toEqual([])
    expect(await readFile(join(parent, kept ?? ''), 'utf8')).toBe('no JSON')
  })

  it('[R4] unites the runs of both sides; of one run the newer wins and the older is kept aside', async () => {
    await saveReport(grandparent, report({ markdown: 'old', nowMs: 1 }))
    await saveReport(grandparent, report({ run: 2, markdown: 'only above', nowMs: 1 }))
    await saveReport(parent, report({ markdown: 'new', nowMs: 2 }))
    await saveReport(parent, report({ run: 3, markdown: 'only below', nowMs: 2 }))
    await rollUpArtifacts(parent, grandparent)
    const markdown = async (run: number) => {
      const found = await readReport(grandparent, taskId, run)
      return found.kind === 'found' ? found.report.reportMarkdown : found.kind
    }
    expect([await markdown(1), await markdown(2), await markdown(3)]).toEqual([
      'new',
      'only above',
      'only below',
    ])
    const runs = await readdir(join(grandparent, 'subagent-reports', taskId))
    expect(runs.filter((name) => name.startsWith('1.older-'))).toHaveLength(1)
  })

  it('[R4] keeps the newer side whichever it is', async () => {
    await saveReport(grandparent, report({ markdown: 'newer above', nowMs: 9 }))
    await saveReport(parent, report({ markdown: 'older below', nowMs: 2 }))
    await rollUpArtifacts(parent, grandparent)
    expect(await readReport(grandparent, taskId)).toMatchObject({
      report: { reportMarkdown: 'newer above' },
    })
  })
})
