/** A data directory with a nested run behind it, to be damaged while nobody has it open. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import type { Examination } from '../../src/shared/contract/doctor.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import type { Project } from '../../src/shared/records/projects/projects.ts'
import { type Fixture, gitProject, start, taskOf, untilQuiet } from '../harness.ts'
import { preparedDir } from '../prepared-fixture.ts'

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
  /** As `check` and then, as a user who has seen that goes on in the app, a repair. */
  checkAndRepair(): Promise<{ found: Examination; repaired: Examination }>
}

interface Healthy {
  project: Project
  rootId: TaskId
  middleId: TaskId
  leafId: TaskId
}

/** A nested run has ended and both sub-agents are cleaned up. It is closed. */
export async function makePatient(): Promise<Patient> {
  const { dir, made } = await preparedDir(makeHealthy)
  const { project, rootId, middleId, leafId } = made
  const dataDir = join(dir, 'data')
  const fixture = { dir, dataDir, project } as Fixture
  fixture.restart = async () => {
    fixture.shiplog = await openShiplog({ dataDir, host: 'cli' })
    onTestFinished(() => fixture.shiplog.close())
    return fixture.shiplog
  }
  const opened = async <Result>(work: (shiplog: Shiplog) => Promise<Result>): Promise<Result> => {
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    try {
      return await work(shiplog)
    } finally {
      await shiplog.close()
    }
  }
  return {
    fixture,
    dataDir,
    rootId,
    middleId,
    leafId,
    session: (...names) => join(dataDir, 'sessions', rootId, ...names),
    check: (repair = false) => opened(({ client }) => client.doctor.check({ repair })),
    checkAndRepair: () =>
      opened(async ({ client }) => {
        const found = await client.doctor.check({ repair: false })
        return { found, repaired: await client.doctor.check({ repair: true }) }
      }),
  }
}

async function makeHealthy(dir: string): Promise<Healthy> {
  const dataDir = join(dir, 'data')
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  try {
    const project = await shiplog.client.projects.add({
      dir: await gitProject(join(dir, 'project')),
    })
    const rootId = await start({ dir, dataDir, project, shiplog } as Fixture, nested)
    await untilQuiet(shiplog)
    const middleId = (await taskOf(shiplog, 'Middle')).id
    const leafId = (await taskOf(shiplog, 'Leaf')).id
    return { project, rootId, middleId, leafId }
  } finally {
    await shiplog.close()
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
