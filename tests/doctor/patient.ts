/** A data directory with a nested run behind it, to be damaged while nobody has it open. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openShiplog } from '../../src/main/shiplog.ts'
import type { Examination } from '../../src/shared/contract/doctor.ts'
import type { TaskId } from '../../src/shared/ids.ts'
import { type Fixture, openFixture, start, taskOf, untilQuiet } from '../harness.ts'

/** Longer than 256 KB, so that it goes to a blob. */
const longOutput = 'head -c 300000 /dev/zero | tr "\\\\0" x'

const nested = `
version: 1
name: nested
agents:
  lead:
    turns:
      - call: task
        with: { agent: middle, title: Middle, prompt: Go }
      - say: "${'long '.repeat(60_000)}"
      - report: { title: Lead, markdown: Done. }
  middle:
    turns:
      - call: task
        with: { agent: leaf, title: Leaf, prompt: Go }
      - call: edit_file
        with: { path: README.md, oldText: "# A project\\n", newText: "# Changed\\n" }
      - report: { title: Middle, markdown: Done. }
  leaf:
    turns:
      - call: write_file
        with: { path: leaf.txt, content: "leaf\\n" }
      - call: bash
        with: { command: '${longOutput}' }
      - report: { title: Leaf, markdown: Done. }
`

export interface Patient {
  fixture: Fixture
  dataDir: string
  rootId: TaskId
  middleId: TaskId
  leafId: TaskId
  /** The root's session directory, and names below it. */
  session(...names: string[]): string
  /** Opens it, asks the doctor, and closes it again. */
  check(repair?: boolean): Promise<Examination>
}

/** A nested run has ended and both sub-agents are cleaned up. It is closed. */
export async function makePatient(): Promise<Patient> {
  const fixture = await openFixture()
  const { dataDir } = fixture
  const rootId = await start(fixture, nested)
  await untilQuiet(fixture.shiplog)
  const middleId = (await taskOf(fixture.shiplog, 'Middle')).id
  const leafId = (await taskOf(fixture.shiplog, 'Leaf')).id
  await fixture.shiplog.close()
  return {
    fixture,
    dataDir,
    rootId,
    middleId,
    leafId,
    session: (...names) => join(dataDir, 'sessions', rootId, ...names),
    async check(repair = false) {
      const shiplog = await openShiplog({ dataDir, host: 'cli' })
      try {
        return await shiplog.client.doctor.check({ repair })
      } finally {
        await shiplog.close()
      }
    },
  }
}

/** Where each problem is, by its kind. */
export const kindsOf = ({ problems }: Examination): string[] =>
  problems.map(({ kind }) => kind).toSorted()

/** The only entry of a folder. */
export function onlyIn(dir: string): string {
  const [name, ...others] = readdirSync(dir)
  if (name === undefined || others.length > 0) throw new Error(`${dir} has ${others.length} others`)
  return join(dir, name)
}
