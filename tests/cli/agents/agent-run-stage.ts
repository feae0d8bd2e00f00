/** A command `agent run` beside a fake of Shiplog, with a lead that leaves a tester behind. */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { type RunOptions, startCli } from '../fake-process.ts'
import { createFakeShiplog, type FakeShiplog } from '../fake-shiplog.ts'

/** The folder of the scenarios. */
export let dir: string

/** For each test file to call: in a worker that runs several, a module is loaded only once. */
export function scenariosInFolder(): void {
  beforeAll(async () => {
    dir = await mkdtemp(path.join(await realpath(os.tmpdir()), 'shiplog-cli-'))
    await writeFile(path.join(dir, 'play.yaml'), 'version: 1\n')
    await writeFile(path.join(dir, 'broken.yaml'), 'malformed\n')
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))
}

export const argvFor = (project: string, ...more: string[]) => [
  ...['agent', 'run', 'Fix it', '--project', project],
  ...['--scenario', path.join(dir, 'play.yaml'), ...more],
]

/** A lead with a tester in the background, which goes on when the lead has ended. */
export function leadAndTester(fake: FakeShiplog): {
  finishTester: () => void
  leadDone: Promise<TaskId>
} {
  const leadDone = Promise.withResolvers<TaskId>()
  let finishTester = () => {}
  fake.onStart(async (lead) => {
    await Promise.resolve()
    fake.spawn(lead)
    for (const text of ['one', 'two', 'three', 'four', 'five']) fake.say(lead, text)
    const projectId = fake.projectOf(lead)
    const tester = fake.createTask({ projectId, parentId: lead, title: 'Add tests' })
    fake.spawn(tester)
    fake.report(lead, 'Fixed', '# Fixed\n\nAll green.')
    fake.complete(lead)
    finishTester = () => {
      for (const text of ['a', 'b', 'c', 'd']) fake.say(tester, text)
      fake.report(tester, 'Tests added', 'One file.')
      fake.complete(tester)
      fake.archive(tester)
    }
    leadDone.resolve(lead)
  })
  return { finishTester: () => finishTester(), leadDone: leadDone.promise }
}

export async function runLead(argv: string[], options: RunOptions = {}) {
  const fake = createFakeShiplog()
  const { finishTester } = leadAndTester(fake)
  const cli = startCli(argv, { fake, ...options })
  if (argv.includes('--json')) {
    // Nothing is said on standard error then; the tester's entries are still waited for.
    while (fake.state.tasks.size < 2) await new Promise((resolve) => setImmediate(resolve))
  } else await cli.said('waiting for 1 sub-agent')
  finishTester()
  return { fake, ...(await cli.ended) }
}
