/** Drift of an agent whose process was killed. */
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { thePerson } from '../../../src/shared/records/drift.ts'
import { openFixture, writeFiles } from '../../harness.ts'
import { driftOf, interruptedAt, withoutEnd } from './walk.ts'

const files = {
  'a.txt': 'one\ntwo\nthree\nfour\nfive\n',
  'b.txt': 'one\ntwo\nthree\nfour\nfive\n',
  'other.txt': 'other\n',
}

const cutShort = `version: 1
name: cut short
agents:
  lead:
    turns:
      - call: write_file
        with: { path: a.txt, content: "first" }
      - steps:
          - call: write_file
            with: { path: b.txt, content: "second" }
          - call: COMMAND
`

it('[S2] a crash: changes of its edit tools are its own, even without a snapshot', async () => {
  const fixture = await openFixture({ files })
  const task = await interruptedAt(
    fixture,
    cutShort.replace('- call: COMMAND\n', '- wait: 600s\n'),
    {
      when: (history) => history.some((entry) => entry.type === 'tool-result' && entry.turn === 2),
    },
  )
  expect(await driftOf(fixture, task, withoutEnd)).toMatchObject({ conflicts: [], dirty: [] })
  await writeFiles(task.workspace.path, { 'b.txt': 'yours' })
  expect(await driftOf(fixture, task, withoutEnd)).toMatchObject({
    conflicts: [{ path: 'b.txt', changedBy: thePerson }],
    dirty: ['b.txt'],
  })
})

it('[S2] a crash in a command: unexplained changes are listed without an author', async () => {
  const fixture = await openFixture({ files })
  const task = await interruptedAt(
    fixture,
    cutShort.replace(
      'call: COMMAND',
      'call: bash\n            with: { command: "echo command > a.txt; sleep 600" }',
    ),
    {
      when: (history) =>
        history.some((entry) => entry.type === 'tool-call' && entry.name === 'bash'),
    },
  )
  const dir = task.workspace.path
  await writeFile(join(dir, 'a.txt'), 'command\n')
  const drift = await driftOf(fixture, task, withoutEnd)
  expect(drift).toMatchObject({
    conflicts: [],
    dirty: ['a.txt'],
    unknownCalls: [{ tool: 'bash', subject: 'echo command > a.txt; sleep 600' }],
  })
  // Written clearly after the end that is in the record: that was not the command.

  const later = Date.now() / 1000 + 60
  await utimes(join(dir, 'a.txt'), later, later)
  expect((await driftOf(fixture, task, withoutEnd)).conflicts).toMatchObject([{ path: 'a.txt' }])
})
