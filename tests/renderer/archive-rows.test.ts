import { describe, expect, it } from 'vitest'
import { statuses } from '../../src/renderer/views/archive/archive-choices.ts'
import {
  type ArchiveSortKey,
  archiveIndex,
} from '../../src/renderer/views/archive/archive-index.ts'
import { type ArchiveFilter, archiveRows } from '../../src/renderer/views/archive/archive-rows.ts'
import type { TranscriptSummary } from '../../src/shared/contract/workspace.ts'
import { isRunning, taskStatuses } from '../../src/shared/records/tasks/task-status.ts'
import { createFakeHost } from '../fake-host/fake-host.ts'

const rowsOf = (
  transcripts: TranscriptSummary[],
  ...rest: Parameters<typeof archiveRows> extends [unknown, ...infer Rest] ? Rest : never
) => archiveRows(archiveIndex(transcripts), ...rest).rows

const everything: ArchiveFilter = { text: '', status: 'all', show: 'all' }

async function harbour() {
  const host = createFakeHost()
  const harbour = host.addProject('/home/ada/projects/harbour')
  const pier = host.addProject('/home/ada/projects/pier')
  const root = host.start({ projectId: harbour, title: 'Light the harbour' })
  const tester = host.start({
    projectId: harbour,
    title: 'Test the lamps',
    agent: 'tester',
    parentId: root,
  })
  host.start({ projectId: harbour, title: 'Make fixtures', agent: 'fixer', parentId: tester })
  host.start({ projectId: harbour, title: 'Write the docs', agent: 'writer', parentId: root })
  host.complete(tester)
  const paint = host.start({ projectId: pier, title: 'Paint the pier' })
  host.complete(paint)
  const { transcripts } = await host.client.workspace.listTranscripts({})
  return {
    tester,
    transcripts,
    shown: (filter: ArchiveFilter) =>
      rowsOf(transcripts, filter).map((row) =>
        row.kind === 'project'
          ? row.name
          : `${'  '.repeat(row.level)}${row.matches ? '' : '('}${row.summary.title}`,
      ),
  }
}

describe('archive rows', () => {
  it('can be filtered by each status', () => {
    const offered = statuses.map(({ value }) => value)
    for (const status of taskStatuses)
      expect(offered).toContain(isRunning(status) ? 'running' : status)
  })

  it('are sorted by project and root, newest first, sub-agents in their order', async () => {
    const { shown } = await harbour()
    expect(shown(everything)).toEqual([
      'pier',
      'Paint the pier',
      'harbour',
      'Light the harbour',
      '  Test the lamps',
      '    Make fixtures',
      '  Write the docs',
    ])
  })

  it('keep the ancestors of a match', async () => {
    const { shown, tester } = await harbour()
    expect(shown({ text: 'FIXTURES', status: 'all', show: 'all' })).toEqual([
      'harbour',
      '(Light the harbour',
      '  (Test the lamps',
      '    Make fixtures',
    ])
    expect(shown({ text: tester.slice(0, 8), status: 'completed', show: 'all' })).toEqual([
      'harbour',
      '(Light the harbour',
      '  Test the lamps',
    ])
  })

  it('are empty if nothing matches', async () => {
    const { shown } = await harbour()
    expect(shown({ text: 'no such thing', status: 'all', show: 'all' })).toEqual([])
    expect(shown({ text: '', status: 'failed', show: 'all' })).toEqual([])
  })

  it('show a task whose parent is not kept as a root', async () => {
    const { transcripts } = await harbour()
    const orphans = transcripts.filter(({ title }) => title === 'Make fixtures')
    expect(rowsOf(orphans, everything)).toMatchObject([{ kind: 'project' }, { level: 0 }])
  })

  it('sorted by another key are one list, in reverse order on request', async () => {
    const { transcripts } = await harbour()
    const titles = (by: ArchiveSortKey, reversed = false) =>
      rowsOf(transcripts, everything, { by, reversed }).map((row) =>
        row.kind === 'task' ? `${row.summary.title} in ${row.project}` : row.name,
      )
    expect(titles('title')).toEqual([
      'Light the harbour in harbour',
      'Make fixtures in harbour',
      'Paint the pier in pier',
      'Test the lamps in harbour',
      'Write the docs in harbour',
    ])
    expect(titles('title', true)[0]).toBe('Write the docs in harbour')
    expect(titles('project').at(-1)).toBe('Paint the pier in pier')
    expect(titles('ended')[0]).toBe('Paint the pier in pier')
    const entries = (reversed: boolean) =>
      rowsOf(transcripts, everything, { by: 'entries', reversed }).map((row) =>
        row.kind === 'task' ? row.summary.entries : 0,
      )
    expect(entries(false)).toEqual(entries(true).toReversed())
    expect(entries(false)[0]).toBeGreaterThan(entries(true)[0] as number)
  })

  it('are those of removed workspaces, live ones, or pinned ones, with their parents', async () => {
    const { transcripts, tester } = await harbour()
    const some = transcripts.map((one) => ({
      ...one,
      archived: one.taskId === tester,
      pinned: one.title === 'Paint the pier',
    }))
    const shown = (filter: Partial<ArchiveFilter>) =>
      rowsOf(some, { ...everything, ...filter }).flatMap((row) =>
        row.kind === 'task' && row.matches ? [row.summary.title] : [],
      )
    expect(shown({ show: 'archived' })).toEqual(['Test the lamps'])
    expect(shown({ show: 'live' })).not.toContain('Test the lamps')
    expect(shown({ show: 'pinned' })).toEqual(['Paint the pier'])
    const selected = some.find(({ title }) => title === 'Paint the pier')?.taskId ?? null
    // The one in the reader is listed, but not counted.
    const withSelected = archiveRows(archiveIndex(some), {
      ...everything,
      show: 'archived',
      selected,
    })
    expect(
      withSelected.rows.flatMap((row) => (row.kind === 'task' ? [row.summary.title] : [])),
    ).toEqual(['Paint the pier', 'Light the harbour', 'Test the lamps'])
    expect(withSelected.count).toBe(1)
  })

  it('are those of one source, sub-agents with their roots', async () => {
    const { transcripts } = await harbour()
    const some = transcripts.map((one) => ({
      ...one,
      importedFrom: one.title === 'Light the harbour' ? 'codex' : null,
    }))
    const shown = (source: string) =>
      rowsOf(some, { ...everything, source }).flatMap((row) =>
        row.kind === 'task' ? [row.summary.title] : [],
      )
    expect(shown('here')).toEqual(['Paint the pier'])
    expect(shown('codex')).toHaveLength(4)
    expect(archiveIndex(some).sources).toEqual([
      { value: 'codex', count: 4 },
      { value: 'here', count: 1 },
    ])
  })

  it('are found by project and by the title of the report', async () => {
    const { shown, tester, transcripts } = await harbour()
    expect(shown({ ...everything, text: 'pier' })).toEqual(['pier', 'Paint the pier'])
    const reported = transcripts.map((one) =>
      one.taskId === tester ? { ...one, reportTitle: 'Found 7 dark lamps' } : one,
    )
    const rows = rowsOf(reported, { ...everything, text: 'found 7' })
    expect(rows.flatMap((row) => (row.kind === 'task' && row.matches ? [row.key] : []))).toEqual([
      tester,
    ])
  })

  it('fold a large tree until it is opened, a small one or a project when asked', async () => {
    const { transcripts } = await harbour()
    const rows = (toggled: string[], text = '') =>
      rowsOf(transcripts, { ...everything, text }, undefined, new Set(toggled))
    const harbourRow = rows([]).find(({ kind, key }) => kind === 'project' && /harbour/.test(key))
    expect(rows([harbourRow?.key ?? '']).map((row) => row.kind)).toEqual([
      'project',
      'task',
      'project',
    ])
    const root = transcripts.find(({ title }) => title === 'Light the harbour')
    const folded = rows([root?.taskId ?? '']).at(-1)
    expect(folded).toMatchObject({ folded: true, below: 3 })
    // A search shows what it finds.
    expect(rows([root?.taskId ?? ''], 'fixtures')).toHaveLength(4)
    const many = Array.from({ length: 9 }, (_, index) => ({
      ...transcripts[0],
      taskId: `${index}`.repeat(8),
      parentId: root?.taskId,
      projectDir: root?.projectDir,
    })) as typeof transcripts
    const large = rowsOf([...many, ...(root ? [root] : [])], everything)
    expect(large).toHaveLength(2)
    expect(large[0]).toMatchObject({ count: 10 })
  })

  it('are those of an agent, a model, a time, a size, a cost or a tool, with the sum of their sizes', async () => {
    const { transcripts } = await harbour()
    const [first, second] = transcripts
    const some = transcripts.map((one) => ({
      ...one,
      bytes: one === first ? 5_000_000 : 100,
      model: one === first ? 'anthropic/opus' : null,
      usage: { ...one.usage, costUsd: one === second ? 2 : null },
      endedAt: one === second ? '2026-01-01T00:00:00.000Z' : '2026-11-01T00:00:00.000Z',
    }))
    const found = (filter: Partial<ArchiveFilter>) => {
      const all = archiveRows(archiveIndex(some), { ...everything, ...filter })
      const titles = all.rows.flatMap((row) =>
        row.kind === 'task' && row.matches ? [row.summary.title] : [],
      )
      return { titles, bytes: all.bytes, count: all.count }
    }
    const only = (one = first, bytes = 100) => ({ titles: [one?.title], bytes, count: 1 })
    expect(found({ agent: 'tester' })).toMatchObject({ titles: ['Test the lamps'] })
    expect(found({ model: 'anthropic/opus' })).toEqual(only(first, 5_000_000))
    expect(found({ bytesMin: 1_000_000 })).toEqual(only(first, 5_000_000))
    expect(found({ costMin: 1 })).toEqual(only(second))
    expect(found({ before: '2026-02-01' })).toEqual(only(second))
    expect(found({ since: '2026-02-01' }).count).toBe(some.length - 1)
    expect(found({ using: new Set([`${second?.taskId}`]) })).toEqual(only(second))
    const cleaned = new Set([`${second?.taskId}`])
    expect(found({ show: 'expiring', expiring: cleaned })).toEqual(only(second))
    const { agents, models, sorted } = archiveIndex(some)
    expect(agents[0]?.count).toBeGreaterThanOrEqual(agents.at(-1)?.count ?? 0)
    expect(models).toEqual([{ value: 'anthropic/opus', count: 1 }])
    expect(sorted('cost', false)[0]?.summary.title).toBe(second?.title)
    // One without a cost is last, whichever way.
    expect(sorted('cost', true)[0]?.summary.title).toBe(second?.title)
  })

  it('name the task that one continues', async () => {
    const { transcripts, tester } = await harbour()
    const continuing = transcripts.map((one) =>
      one.title === 'Paint the pier' ? { ...one, resumedFrom: { taskId: tester, seq: 3 } } : one,
    )
    const rows = rowsOf(continuing, everything)
    const names = rows.map((row) => (row.kind === 'task' ? row.continues : null))
    expect(names.filter(Boolean)).toEqual(['Test the lamps'])
  })
})
