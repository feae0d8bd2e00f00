import { describe, expect, it } from 'vitest'
import {
  type ArchiveFilter,
  type ArchiveSortKey,
  archiveRows,
} from '../../src/renderer/views/archive/archive-rows.ts'
import { createFakeHost } from '../fake-host/fake-host.ts'

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
      archiveRows(transcripts, filter).map((row) =>
        row.kind === 'project'
          ? row.name
          : `${'  '.repeat(row.level)}${row.matches ? '' : '('}${row.summary.title}`,
      ),
  }
}

describe('archive rows', () => {
  it('go by project and root, newest first, sub-agents as they began', async () => {
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

  it('keep the ancestors of a match, so that its tree can be read', async () => {
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

  it('are none when nothing matches', async () => {
    const { shown } = await harbour()
    expect(shown({ text: 'no such thing', status: 'all', show: 'all' })).toEqual([])
    expect(shown({ text: '', status: 'failed', show: 'all' })).toEqual([])
  })

  it('show a task whose parent is not kept as a root', async () => {
    const { transcripts } = await harbour()
    const orphans = transcripts.filter(({ title }) => title === 'Make fixtures')
    expect(archiveRows(orphans, everything)).toMatchObject([{ kind: 'project' }, { level: 0 }])
  })

  it('sorted by something else are one list, the other way round when asked', async () => {
    const { transcripts } = await harbour()
    const titles = (by: ArchiveSortKey, reversed = false) =>
      archiveRows(transcripts, everything, { by, reversed }).map((row) =>
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
      archiveRows(transcripts, everything, { by: 'entries', reversed }).map((row) =>
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
      archiveRows(some, { ...everything, ...filter }).flatMap((row) =>
        row.kind === 'task' && row.matches ? [row.summary.title] : [],
      )
    expect(shown({ show: 'archived' })).toEqual(['Test the lamps'])
    expect(shown({ show: 'live' })).not.toContain('Test the lamps')
    expect(shown({ show: 'pinned' })).toEqual(['Paint the pier'])
    const selected = some.find(({ title }) => title === 'Paint the pier')?.taskId ?? null
    expect(shown({ show: 'archived', selected })).toEqual(['Paint the pier', 'Test the lamps'])
  })

  it('are found by project and by the title of the report', async () => {
    const { shown, tester } = await harbour()
    expect(shown({ ...everything, text: 'pier' })).toEqual(['pier', 'Paint the pier'])
    const reportTitle = (id: string) => (id === tester ? 'Found 7 dark lamps' : null)
    expect(shown({ ...everything, text: 'found 7', reportTitle })).toEqual([
      ...['harbour', '(Light the harbour', '  Test the lamps'],
    ])
  })

  it('fold a large tree until it is opened, a small one or a project when asked', async () => {
    const { transcripts } = await harbour()
    const rows = (toggled: string[], text = '') =>
      archiveRows(transcripts, { ...everything, text }, undefined, new Set(toggled))
    const harbourRow = rows([]).find(({ kind, key }) => kind === 'project' && /harbour/.test(key))
    expect(rows([harbourRow?.key ?? '']).map((row) => row.kind)).toEqual([
      ...['project', 'task', 'project'],
    ])
    const root = transcripts.find(({ title }) => title === 'Light the harbour')
    const folded = rows([root?.taskId ?? '']).at(-1)
    expect(folded).toMatchObject({ folded: true, below: 3 })
    // A search shows what it finds.
    expect(rows([root?.taskId ?? ''], 'fixtures')).toHaveLength(4)
    const many = Array.from({ length: 9 }, (_, index) => ({
      ...transcripts[0],
      ...{ taskId: `${index}`.repeat(8), parentId: root?.taskId, projectDir: root?.projectDir },
    })) as typeof transcripts
    const large = archiveRows([...many, ...(root ? [root] : [])], everything)
    expect(large).toHaveLength(2)
    expect(large[0]).toMatchObject({ count: 10 })
  })

  it('name the task that one continues', async () => {
    const { transcripts, tester } = await harbour()
    const continuing = transcripts.map((one) =>
      one.title === 'Paint the pier' ? { ...one, resumedFrom: { taskId: tester, seq: 3 } } : one,
    )
    const rows = archiveRows(continuing, everything)
    const names = rows.map((row) => (row.kind === 'task' ? row.continues : null))
    expect(names.filter(Boolean)).toEqual(['Test the lamps'])
  })
})
