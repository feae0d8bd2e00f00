/** Each kind of problem, made on a real data directory: found, repaired where it can be, and then gone. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import {
  appendFile,
  chmod,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guarded } from '../../src/main/doctor/on-disk.ts'
import { crashResidue, problemTable } from '../../src/main/doctor/problems.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { readSnapshot, writeSnapshot } from '../../src/main/ledger/snapshot.ts'
import { type ProblemKind, problemKinds } from '../../src/shared/contract/doctor.ts'
import { newTaskId } from '../../src/shared/ids.ts'
import { git } from '../harness.ts'
import { kindsOf, makePatient, onlyIn, type Patient } from './patient.ts'

interface Damage {
  kind: ProblemKind
  why: string
  harm: (patient: Patient) => Promise<unknown>
  /** What the problem's path ends in. */
  at: RegExp
  detail: RegExp
  repairable: boolean
  /** Found as well, because the same harm shows in more than one place. */
  also?: ProblemKind[]
  /** What must be true after `--repair`. */
  kept?: (patient: Patient) => Promise<void> | void
}

const trashed = async ({ dataDir }: Patient, name: string) => {
  const files = readdirSync(join(dataDir, 'trash'), { recursive: true })
  expect(files.some((file) => String(file).endsWith(name))).toBe(true)
}
const leafTranscript = ({ session, leafId }: Patient, ...names: string[]) =>
  session('subagent-transcripts', leafId, ...names)
const flipByte = async (path: string, at: number) => {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}
const dropLastLine = async (path: string) => {
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1))
}
const changeIndex = async (path: string, change: (index: Index) => void) => {
  const index = JSON.parse(await readFile(path, 'utf8')) as Index
  change(index)
  await writeFile(path, JSON.stringify(index))
}
interface Index {
  version: number
  artifactsByChildTaskId: Record<string, unknown>
}
const strayId = '0d1f3c60-5b1e-4a4e-8a11-2f6a3f0b9c77'

const damages: Damage[] = [
  {
    kind: 'snapshot-wrong',
    why: 'a task has another title in it, and its checksum is right',
    harm: async ({ dataDir }) => {
      const ledger = await openLedger(join(dataDir, 'ledger.jsonl'), dataDir, {
        snapshotAfterRecords: 1,
      })
      await ledger.close()
      const snapshot = join(dataDir, 'ledger.snapshot.json')
      const read = await readSnapshot(snapshot, dataDir)
      if (read.kind !== 'ok') throw new Error(`the snapshot is ${read.kind}`)
      const { state, link } = read.snapshot
      for (const task of state.tasks.values())
        state.tasks.set(task.id, { ...task, title: 'Something else' })
      await writeSnapshot(snapshot, { state, link })
    },
    at: /^ledger\.snapshot\.json$/,
    detail: /something else than the records/,
    repairable: true,
    kept: async ({ dataDir }) => {
      const ledger = await openLedger(join(dataDir, 'ledger.jsonl'), dataDir)
      await ledger.close()
      const titles = [...ledger.state.tasks.values()].map(({ title }) => title)
      expect(titles).not.toContain('Something else')
    },
  },
  {
    kind: 'journal-damaged',
    why: 'a byte of a live transcript',
    harm: ({ session }) => flipByte(session('chat.jsonl'), 400),
    at: /^sessions\/[^/]+\/chat\.jsonl$/,
    detail: /^line [12], [1-9]\d+ bytes: bad checksum/,
    repairable: false,
  },
  {
    kind: 'journal-damaged',
    why: 'a byte of an archived transcript',
    harm: (patient) => flipByte(leafTranscript(patient, 'chat.jsonl'), 400),
    at: /subagent-transcripts\/[^/]+\/chat\.jsonl$/,
    detail: /^line [12], [1-9]\d+ bytes: bad checksum/,
    repairable: false,
  },
  {
    kind: 'torn-tail',
    why: 'an archived transcript that ends in half a line',
    harm: (patient) => appendFile(leafTranscript(patient, 'chat.jsonl'), '{"v":1'),
    at: /chat\.jsonl$/,
    detail: /ends in 6 bytes without a newline/,
    repairable: true,
    kept: (patient) => {
      const torn = readdirSync(leafTranscript(patient)).filter((name) => name.includes('.torn-'))
      expect(torn).toHaveLength(1)
    },
  },
  {
    kind: 'transcript-shortened',
    why: 'whole lines cut from an archived transcript',
    harm: (patient) => dropLastLine(leafTranscript(patient, 'chat.jsonl')),
    at: /chat\.jsonl$/,
    detail: /holds \d+ records and held \d+/,
    repairable: false,
  },
  {
    kind: 'transcript-shortened',
    why: 'whole lines cut from a live transcript',
    harm: ({ session }) => dropLastLine(session('chat.jsonl')),
    at: /chat\.jsonl$/,
    detail: /ends before run 1 does/,
    repairable: false,
  },
  {
    kind: 'transcript-missing',
    why: 'a live transcript is gone',
    harm: ({ session }) => rm(session('chat.jsonl')),
    at: /chat\.jsonl$/,
    detail: /the ledger says that its transcript is kept: "Do it"/,
    repairable: false,
  },
  {
    kind: 'transcript-missing',
    why: 'an archived transcript is gone with its folder',
    harm: (patient) => rm(leafTranscript(patient), { recursive: true }),
    at: /transcript\.json$/,
    detail: /"Leaf"/,
    repairable: false,
    also: ['index-names-missing', 'index-names-missing'],
  },
  {
    kind: 'blob-missing',
    why: 'a long value is gone',
    harm: ({ session }) => rm(onlyIn(session('blobs'))),
    at: /blobs\/[0-9a-f]{64}$/,
    detail: /only the beginning of a long value is left; record \d+/,
    repairable: false,
  },
  {
    kind: 'blob-damaged',
    why: 'a long value was changed',
    harm: ({ session }) => flipByte(onlyIn(session('blobs')), 1000),
    at: /blobs\/[0-9a-f]{64}$/,
    detail: /not what its name says/,
    repairable: false,
  },
  {
    kind: 'file-history-missing',
    why: 'the original of a changed file is gone',
    harm: ({ session, middleId }) =>
      rm(onlyIn(session('subagent-transcripts', middleId, 'file-history'))),
    at: /file-history\/[0-9a-f]{64}$/,
    detail: /is gone; record \d+/,
    repairable: false,
  },
  {
    kind: 'file-history-damaged',
    why: 'the original of a changed file was changed',
    harm: ({ session, middleId }) =>
      flipByte(onlyIn(session('subagent-transcripts', middleId, 'file-history')), 0),
    at: /file-history\/[0-9a-f]{64}$/,
    detail: /not what its name says/,
    repairable: false,
  },
  {
    kind: 'report-missing',
    why: 'the text of a report',
    harm: ({ session, leafId }) => rm(session('subagent-reports', leafId, '1', 'report.md')),
    at: /1\/report\.md$/,
    detail: /the text of its report of run 1 is kept: "Leaf"/,
    repairable: false,
    also: ['index-names-missing'],
  },
  {
    kind: 'report-damaged',
    why: 'what a report is',
    harm: ({ session, leafId }) =>
      writeFile(session('subagent-reports', leafId, '1', 'report.json'), '{"childTaskId"'),
    at: /1\/report\.json$/,
    detail: /run 1 of "Leaf"/,
    repairable: false,
    also: ['payload-damaged'],
  },
  {
    kind: 'patch-missing',
    why: 'a patch is gone',
    harm: ({ session, leafId }) => rm(session('subagent-patches', leafId), { recursive: true }),
    at: /subagent-patches\/[^/]+\/patch\.json$/,
    detail: /its patch is kept: "Leaf"/,
    repairable: false,
    also: ['index-names-missing'],
  },
  {
    kind: 'payload-damaged',
    why: 'what a transcript is',
    harm: (patient) => writeFile(leafTranscript(patient, 'transcript.json'), 'x'),
    at: /transcript\.json$/,
    detail: /be read as what it is/,
    repairable: false,
  },
  {
    kind: 'index-missing',
    why: 'an index is gone',
    harm: ({ session }) => rm(session('subagent-reports.json')),
    at: /subagent-reports\.json$/,
    detail: /3 artifacts are there/,
    repairable: true,
    kept: async (patient) => {
      const index = await readFile(patient.session('subagent-reports.json'), 'utf8')
      expect(Object.keys((JSON.parse(index) as Index).artifactsByChildTaskId).toSorted()).toEqual(
        [patient.rootId, patient.middleId, patient.leafId].toSorted(),
      )
    },
  },
  {
    kind: 'index-damaged',
    why: '[A2] an index that is not JSON',
    harm: ({ session }) => writeFile(session('subagent-transcripts.json'), '{"version":1,'),
    at: /subagent-transcripts\.json$/,
    detail: /not JSON/,
    repairable: true,
    kept: async ({ session }) =>
      expect(await readFile(session('subagent-transcripts.json.damaged-1'), 'utf8')).toBe(
        '{"version":1,',
      ),
  },
  {
    kind: 'index-other-version',
    why: '[A2] an index of another version',
    harm: ({ session }) =>
      changeIndex(session('subagent-patches.json'), (index) => {
        index.version = 2
      }),
    at: /subagent-patches\.json$/,
    detail: /of version 2/,
    repairable: true,
    kept: ({ session }) => {
      expect(existsSync(session('subagent-patches.json.damaged-1'))).toBe(true)
    },
  },
  {
    kind: 'index-incomplete',
    why: 'an index that leaves one out',
    harm: ({ session, leafId }) =>
      changeIndex(session('subagent-reports.json'), (index) => {
        delete index.artifactsByChildTaskId[leafId]
      }),
    at: /subagent-reports\.json$/,
    detail: /does not name 1 artifacts that are there: subagent-reports\//,
    repairable: true,
  },
  {
    kind: 'index-names-missing',
    why: 'an index that names what was never there',
    harm: ({ session, leafId }) =>
      changeIndex(session('subagent-patches.json'), (index) => {
        const known = index.artifactsByChildTaskId[leafId] as object
        index.artifactsByChildTaskId[strayId] = { ...known, childTaskId: strayId }
      }),
    at: /subagent-patches\.json$/,
    detail: new RegExp(`it names subagent-patches/${strayId}/patch.json, which is gone`),
    repairable: false,
  },
  {
    kind: 'orphan-session',
    why: 'a session directory made before a task’s first event',
    harm: async ({ dataDir }) => {
      const dir = join(dataDir, 'sessions', strayId)
      await mkdir(dir, { mode: 0o700 })
      await writeFile(join(dir, 'program.json'), '{}', { mode: 0o600 })
    },
    at: new RegExp(`^sessions/${strayId}$`),
    detail: /no such task; nothing was recorded/,
    repairable: true,
    kept: (patient) => trashed(patient, `sessions/${strayId}/program.json`),
  },
  {
    kind: 'orphan-record',
    why: 'a session directory with a transcript that the ledger does not know',
    harm: async ({ dataDir }) => {
      const dir = join(dataDir, 'sessions', strayId)
      await mkdir(dir, { mode: 0o700 })
      await writeFile(join(dir, 'chat.jsonl'), '', { mode: 0o600 })
    },
    at: new RegExp(`^sessions/${strayId}$`),
    detail: /kept where it is/,
    repairable: false,
    kept: ({ dataDir }) => {
      expect(existsSync(join(dataDir, 'sessions', strayId, 'chat.jsonl'))).toBe(true)
    },
  },
  {
    kind: 'orphan-archive',
    why: 'an archive directory without a root',
    harm: ({ dataDir }) =>
      mkdir(join(dataDir, 'archive', strayId), { recursive: true }).then(async () => {
        await chmod(join(dataDir, 'archive'), 0o700)
        await chmod(join(dataDir, 'archive', strayId), 0o700)
      }),
    at: new RegExp(`^archive/${strayId}$`),
    detail: /no such task; it is kept/,
    repairable: false,
  },
  {
    kind: 'worktree-missing',
    why: 'a worktree deleted by hand',
    harm: ({ dataDir }) => {
      const project = onlyIn(join(dataDir, 'worktrees'))
      return rm(onlyIn(project), { recursive: true })
    },
    at: /^worktrees\/[^/]+\/[0-9a-f]{8}$/,
    detail: /"Do it" works in is gone/,
    repairable: false,
  },
  {
    kind: 'worktree-unregistered',
    why: 'a worktree that Git forgot',
    harm: ({ fixture }) => rm(join(fixture.project.dir, '.git', 'worktrees'), { recursive: true }),
    at: /^worktrees\/[^/]+\/[0-9a-f]{8}$/,
    detail: /Git does not know it/,
    repairable: false,
  },
  {
    kind: 'worktree-unregistered',
    why: 'a project that is gone',
    harm: ({ fixture }) => rename(fixture.project.dir, `${fixture.project.dir}-elsewhere`),
    at: /^worktrees\/[^/]+\/[0-9a-f]{8}$/,
    detail: /there is no repository in .*project any more/,
    repairable: false,
  },
  {
    kind: 'stray-worktree',
    why: 'a worktree that nobody works in',
    harm: ({ dataDir, fixture }) => {
      const path = join(onlyIn(join(dataDir, 'worktrees')), 'deadbeef')
      git(fixture.project.dir, 'worktree', 'add', '-q', '-b', 'stray', path)
      return Promise.resolve()
    },
    at: /\/deadbeef$/,
    detail: /no workspace works here, and nothing in it is uncommitted/,
    repairable: true,
    kept: (patient) => trashed(patient, 'deadbeef/README.md'),
  },
  {
    kind: 'stray-changes',
    why: 'a worktree that nobody works in, with uncommitted work',
    harm: async ({ dataDir, fixture }) => {
      const path = join(onlyIn(join(dataDir, 'worktrees')), 'deadbeef')
      git(fixture.project.dir, 'worktree', 'add', '-q', '-b', 'stray', path)
      await writeFile(join(path, 'loose.txt'), 'mine')
    },
    at: /\/deadbeef$/,
    detail: /may hold work that was not committed; it is kept/,
    repairable: false,
  },
  {
    kind: 'temporary-file',
    why: 'what a process that died was writing',
    harm: ({ session }) =>
      writeFile(session(`subagent-reports.json.${strayId}.tmp`), '{"ver', { mode: 0o600 }),
    at: /\.tmp$/,
    detail: /^5 bytes/,
    repairable: true,
    kept: (patient) => trashed(patient, '.tmp'),
  },
  {
    kind: 'file-mode',
    why: 'a file that others can read',
    harm: ({ session }) => chmod(session('chat.jsonl'), 0o644),
    at: /chat\.jsonl$/,
    detail: /its mode is 0644 and should be 0600/,
    repairable: true,
  },
  {
    kind: 'file-mode',
    why: 'a folder that can’t be entered',
    harm: ({ session }) => chmod(session('subagent-patches'), 0o755),
    at: /subagent-patches$/,
    detail: /0755 and should be 0700/,
    repairable: true,
  },
  {
    kind: 'symlink',
    why: '[A3] a link in place of a folder',
    harm: async ({ fixture, session }) => {
      const elsewhere = join(fixture.dir, 'elsewhere')
      await rename(session('blobs'), elsewhere)
      await symlink(elsewhere, session('blobs'))
    },
    at: /blobs$/,
    detail: /never followed/,
    repairable: false,
    also: ['blob-missing'],
  },
  {
    kind: 'special-file',
    why: 'a pipe, which nobody may wait at',
    harm: async ({ session }) => execFileSync('mkfifo', [session('file-history')]),
    at: /file-history$/,
    detail: /a pipe/,
    repairable: false,
  },
]

describe.each(damages)('$kind: $why', (damage) => {
  it('is found; repaired when that loses nothing; else everything stays', async () => {
    const patient = await makePatient()
    await damage.harm(patient)
    const found = await patient.check()
    expect(kindsOf(found)).toEqual([damage.kind, ...(damage.also ?? [])].toSorted())
    expect(found.ok).toBe(false)
    const problem = found.problems.find(({ kind }) => kind === damage.kind)
    expect(problem).toMatchObject({ repairable: damage.repairable, repaired: false })
    expect(problem?.path).toMatch(damage.at)
    expect(problem?.detail).toMatch(damage.detail)

    const repaired = await patient.check(true)
    expect(repaired.ok).toBe(false)
    expect(kindsOf(repaired)).toEqual(kindsOf(found))
    expect(repaired.problems.filter((one) => one.repaired !== one.repairable)).toEqual([])
    await damage.kept?.(patient)

    const after = await patient.check()
    if (damage.repairable) expect(after).toMatchObject({ ok: true, problems: [] })
    else expect(kindsOf(after)).toEqual(kindsOf(found))
  })
})

describe('problems of several trees or of none', () => {
  it('the ledger: damage in it is told, and then its silence about something moves nothing', async () => {
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

  it('an index that leaves one out and names what is gone: rebuilt, and the loss is not forgotten', async () => {
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
      [join(dataDir, 'sessions', abandoned, 'scenario.yaml')]: 'version: 1',
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

  it('what the disk refuses to show is told, and the rest is looked at all the same', async (context) => {
    if (process.getuid?.() === 0) return context.skip('root may read everything')
    const patient = await makePatient()
    await chmod(leafTranscript(patient, 'chat.jsonl'), 0)
    await chmod(patient.session('subagent-reports.json'), 0o644)
    const found = await patient.check()
    expect(kindsOf(found)).toEqual(['file-mode', 'file-mode', 'unreadable'])
    await patient.check(true)
    expect(await patient.check()).toMatchObject({ ok: true })
  })
})

it('what the disk refuses is a finding of its own, and a broken invariant is none', async () => {
  const refusing = (error: Error) =>
    Array.fromAsync(
      // biome-ignore lint/correctness/useYield: it ends before it finds anything
      guarded({ path: '/data/sessions/a' }, async function* () {
        throw error
      }),
    )
  expect(await refusing(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))).toEqual([
    { kind: 'unreadable', path: '/data/sessions/a', detail: 'EIO: i/o error' },
  ])
  await expect(refusing(new Error('a bug'))).rejects.toThrow('a bug')
})

it('the README shows the table of problems, and the tests here make every kind of it', async () => {
  const readme = await readFile(new URL('../../src/main/doctor/README.md', import.meta.url), 'utf8')
  const rows = Object.entries(problemTable).map(
    ([kind, { found, repair }]) => `| \`${kind}\` | ${found} | ${repair ?? 'no'} |`,
  )
  expect(
    readme.split('\n').filter((line) => line.startsWith('| `') && line.split('|').length === 5),
  ).toEqual(rows)
  expect(Object.keys(problemTable)).toEqual([...problemKinds])
  expect(crashResidue.filter((kind) => problemTable[kind].repair === null)).toEqual([])
  const inNoRow = ['archive-missing', 'archive-in-trash', 'unreadable']
  const made = new Set([...damages.map(({ kind }) => kind as string), ...inNoRow])
  expect([...made].toSorted()).toEqual([...problemKinds].toSorted())
})
