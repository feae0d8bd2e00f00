/** Problems that no single tree has: the ledger's, an index's two at once, the archive's, a crash's, the disk's. */
import { existsSync } from 'node:fs'
import {
  chmod,
  lchown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { newTaskId } from '../../src/shared/records/ids.ts'
import { changeIndex, flipByte, type Index, leafTranscript, strayId } from './damages/damage.ts'
import { kindsOf, makePatient } from './patient.ts'

describe('problems of several trees or of none', () => {
  it('the ledger: reports damage in it, and then moves nothing that it does not mention', async () => {
    const patient = await makePatient()
    const { dataDir } = patient
    await flipByte(join(dataDir, 'ledger.jsonl'), 200)
    await mkdir(join(dataDir, 'sessions', strayId), { mode: 0o700 })
    const found = await patient.check(true)
    expect(found.problems[0]).toMatchObject({
      path: 'ledger.jsonl',
      kind: 'journal-damaged',
      detail: expect.stringMatching(/^line 1, \d+ bytes: bad checksum/),
    })
    expect(found.problems).toContainEqual(
      expect.objectContaining({ path: `sessions/${strayId}`, kind: 'orphan-record' }),
    )
    expect(existsSync(join(dataDir, 'sessions', strayId))).toBe(true)
  })

  it('the ledger: whole lines cut from its end hide a task, whose record and worktree stay', async () => {
    const patient = await makePatient()
    const { dataDir, rootId } = patient
    await truncate(join(dataDir, 'ledger.jsonl'), 0)
    await patient.check(true)
    expect(existsSync(join(dataDir, 'sessions', rootId, 'chat.jsonl'))).toBe(true)
  })

  it('an index with a missing and an obsolete entry: is rebuilt, and the loss stays reported', async () => {
    const patient = await makePatient()
    const { session, leafId, middleId } = patient
    const path = session('subagent-reports.json')
    await changeIndex(path, (index) => {
      delete index.artifactsByChildTaskId[leafId]
    })
    await rm(session('subagent-reports', middleId), { recursive: true })
    const lost = ['index-names-missing', 'index-names-missing', 'report-missing']
    expect(kindsOf(await patient.check(true))).toEqual(['index-incomplete', ...lost])
    expect(kindsOf(await patient.check())).toEqual(lost)
    const index = JSON.parse(await readFile(path, 'utf8')) as Index
    expect(Object.keys(index.artifactsByChildTaskId)).toEqual(
      expect.arrayContaining([leafId, middleId]),
    )
    expect(existsSync(`${path}.damaged-1`)).toBe(true)
  })

  it('the archive: lost, or moved to the trash by hand', async () => {
    const patient = await makePatient()
    const { fixture, dataDir, rootId } = patient
    const { client } = await fixture.restart()
    await client.workspace.remove({ workspaceId: rootId })
    const archive = join(dataDir, 'archive', rootId)
    const trash = join(dataDir, 'trash')
    await mkdir(trash, { mode: 0o700, recursive: true })
    await rename(archive, join(trash, `archive-${rootId}`))
    expect(kindsOf(await client.doctor.check({ repair: false }))).toEqual(['archive-in-trash'])
    expect((await client.doctor.check({ repair: true })).problems).toMatchObject([
      { repaired: true },
    ])
    await fixture.shiplog.close()
    expect(await patient.check()).toMatchObject({ ok: true })
    await rm(archive, { recursive: true })
    expect((await patient.check(true)).problems).toMatchObject([
      { path: `archive/${rootId}`, kind: 'archive-missing', repairable: false },
    ])
  })

  it('nothing of what a crash leaves without loss: the next start has put it right, and says so', async () => {
    const patient = await makePatient()
    const { fixture, dataDir, session } = patient
    await fixture.restart()
    const abandoned = newTaskId()
    const left = {
      [session('subagent-reports.json.1.tmp')]: 'half',
      [join(dataDir, 'archive', `${abandoned}.shiplog-staged`, 'chat.jsonl')]: 'half',
      [join(dataDir, 'trash', `archive-${abandoned}.shiplog-moved`, 'chat.jsonl')]: 'half',
      [join(dataDir, 'sessions', abandoned, 'scenarios', '0.yaml')]: 'version: 1',
    }
    for (const [path, text] of Object.entries(left)) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(path, text, { mode: 0o600 })
    }
    await rm(session('subagent-transcripts.json'))
    // As a dead process leaves it.
    const lease = await readFile(join(dataDir, 'lease.json'), 'utf8')
    await fixture.shiplog.close()
    await writeFile(
      join(dataDir, 'lease.json'),
      lease.replace(/"processStartedAt": ?"[^"]*"/, '"processStartedAt":"long ago"'),
    )
    const shiplog = await fixture.restart()
    const { notices } = await shiplog.client.app.info()
    const told = notices.flatMap(({ details }) => details).join('\n')
    for (const name of ['.tmp', '.shiplog-staged', '.shiplog-moved', abandoned, 'transcripts.json'])
      expect(told).toContain(name)
    expect(kindsOf(await shiplog.client.doctor.check({ repair: false }))).toEqual([])
    expect(existsSync(session('subagent-transcripts.json'))).toBe(true)
  })

  it('reports what can’t be read, and checks the rest', async () => {
    const patient = await makePatient()
    await chmod(leafTranscript(patient, 'chat.jsonl'), 0)
    await chmod(patient.session('subagent-reports.json'), 0o644)
    await withoutRightsOfRoot(dirname(patient.dataDir))
    const found = await patient.check()
    expect(kindsOf(found)).toEqual(['file-mode', 'file-mode', 'unreadable'])
    await patient.check(true)
    expect(await patient.check()).toMatchObject({ ok: true })
  })
})

/** Root may read everything: the rest of the test runs as the user that owns nothing else. */
async function withoutRightsOfRoot(dir: string): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const nobody = 65534
  for (const name of ['.', ...(await readdir(dir, { recursive: true }))])
    await lchown(join(dir, name), nobody, nobody)
  // Git refuses to work where it can't read its own configuration.
  vi.stubEnv('HOME', dir)
  process.seteuid?.(nobody)
  onTestFinished(() => {
    process.seteuid?.(0)
    vi.unstubAllEnvs()
  })
}
