import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { reportsOf } from '../../src/main/imports/reported-commits.ts'
import { git, makeRepository, temporaryDir } from '../git/repository.ts'

const session = '01a20995-6ac7-7a62-8603-693713dbadcc'
const agent_id = { tool: 'codex', id: session, model: 'gpt-5' }

it('[K8] finds what Git AI and entire wrote about commits of a session, and runs nothing for it', async () => {
  const project = await makeRepository({ 'src/a.ts': 'a\n' })
  await expect(git.commitReports({ dir: project.dir })).resolves.toEqual([])
  // A checkpoint is a folder on a branch of its own.
  const metadata = { session_id: `2026-06-01-${session}`, agent: 'Codex', files_touched: ['b.ts'] }
  project.git('checkout', '-q', '--orphan', 'entire/checkpoints/v1')
  await project.write('a1/b2c3d4e5f6/0/metadata.json', JSON.stringify(metadata))
  project.commit('Checkpoint')
  project.git('checkout', '-qf', 'main')
  await project.write('src/a.ts', 'a\nb\nc\n')
  const noted = project.commit('With a note\n\nEntire-Checkpoint: a1b2c3d4e5f6')
  const log = { schema_version: 'authorship/3.0.0', prompts: {}, sessions: { s_1: { agent_id } } }
  const note = `src/a.ts\n  s_1::t_1 1-2\n  h_1 3\n  s_1::t_2 3\n"my file.ts"\n  s_2::t_1 1\n---\n${JSON.stringify(log)}`
  project.git('notes', '--ref=ai', 'add', '-m', note, noted)
  project.git('config', 'core.fsmonitor', 'touch hook-ran')
  project.git('config', 'notes.displayRef', 'refs/notes/*')
  const reports = await git.commitReports({ dir: project.dir })
  const about = { commit: noted, subject: 'With a note', moreFiles: 0 }
  expect(reports.flatMap((report) => reportsOf(report, session))).toMatchObject([
    {
      by: 'git-ai',
      ...about,
      agent: 'codex, gpt-5',
      files: [{ path: 'src/a.ts', lines: '1-2,3' }],
    },
    { by: 'entire', ...about, agent: 'Codex', files: [{ path: 'b.ts', lines: null }] },
  ])
  expect(reports.flatMap((report) => reportsOf(report, 'another session'))).toEqual([])
  expect(existsSync(join(project.dir, 'hook-ran'))).toBe(false)
  await expect(git.commitReports({ dir: await temporaryDir() })).rejects.toThrow()
})

it.each([
  ['no JSON', 'a.ts\n  s_1::t_1 1\n---\n{'],
  ['no divider', 'a.ts'],
  ['another shape', '---\n{"sessions":[1],"prompts":{"x":null}}'],
  ['nothing', ''],
])('makes nothing of a note with %s', (_, note) => {
  const report = { commit: 'f'.repeat(40), atMs: Number.NaN, subject: '', note }
  expect(reportsOf({ ...report, checkpoints: ['[]', '{"session_ids":7}', '{'] }, session)).toEqual(
    [],
  )
})
