/** Each kind of problem, made on a real data directory: found, repaired where it can be, and then gone. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { crashResidue, problemTable } from '../../src/main/doctor/problems.ts'
import { problemKinds } from '../../src/shared/contract/doctor.ts'
import { casesOf } from '../soak.ts'
import { damagesToArtifacts } from './damages/to-artifacts.ts'
import { damagesToFolders } from './damages/to-folders.ts'
import { damagesToRecords } from './damages/to-records.ts'
import { kindsOf, makePatient } from './patient.ts'

const damages = [...damagesToRecords, ...damagesToArtifacts, ...damagesToFolders]

const isFirstOfKind = (one: (typeof damages)[number]) =>
  one === damages.find(({ kind }) => kind === one.kind)

describe.each(casesOf(damages, isFirstOfKind))('$kind: $why', (damage) => {
  it('is found; is repaired if that loses nothing; otherwise everything stays', async () => {
    const patient = await makePatient()
    await damage.harm(patient)
    const { found, repaired } = await patient.checkAndRepair()
    expect(kindsOf(found)).toEqual([damage.kind, ...(damage.also ?? [])].toSorted())
    expect(found.ok).toBe(false)
    const problem = found.problems.find(({ kind }) => kind === damage.kind)
    expect(problem).toMatchObject({ repairable: damage.repairable, repaired: false })
    expect(problem?.path).toMatch(damage.at)
    expect(problem?.detail).toMatch(damage.detail)

    expect(repaired.ok).toBe(false)
    expect(kindsOf(repaired)).toEqual(kindsOf(found))
    expect(repaired.problems.filter((one) => one.repaired !== one.repairable)).toEqual([])
    await damage.kept?.(patient)

    const after = await patient.check()
    if (damage.repairable) expect(after).toMatchObject({ ok: true, problems: [] })
    else expect(kindsOf(after)).toEqual(kindsOf(found))
  })
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
  const inNoRow = ['archive-missing', 'archive-in-trash', 'unreadable', 'worktree-broken']
  const made = new Set([...damages.map(({ kind }) => kind as string), ...inNoRow])
  expect([...made].toSorted()).toEqual([...problemKinds].toSorted())
})
