/** A process that is killed right after it has started a command: the next start ends the command. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { endProcessGroup } from '../../../src/main/processes/group.ts'
import { openFixture, start, untilQuiet } from '../../harness.ts'

const host = join(import.meta.dirname, '../../crash/resume-kills/host.ts')
const hook = join(import.meta.dirname, 'kill-after-spawn.ts')

// Elsewhere the system does not show the environment of other processes.
it.runIf(process.platform === 'linux')(
  'ends a command that was started just before a kill, and says so',
  async () => {
    const fixture = await openFixture()
    await fixture.shiplog.close()
    const file = join(fixture.dir, 'pid')
    const scenario = `
version: 1
name: runs
agents:
  lead:
    turns:
      - call: bash
        with: { command: 'echo $$ > ${file}; exec sleep 600' }
`
    const order = {
      dataDir: fixture.dataDir,
      agentsAtOnce: 1,
      work: { kind: 'start', projectDir: fixture.project.dir, scenario },
    }
    const child = spawn(process.execPath, ['--import', hook, host, JSON.stringify(order)], {
      stdio: 'ignore',
    })
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    while (!(await readFile(file, 'utf8').catch(() => '')).endsWith('\n')) await sleep(10)
    const pid = Number(await readFile(file, 'utf8'))
    onTestFinished(() => endProcessGroup(pid).then(() => undefined))

    const shiplog = await fixture.restart()
    const { notices } = await shiplog.client.app.info()
    expect(notices.flatMap(({ details }) => details)).toContain(
      `Ended a command that was left running: echo $$ > ${file}; exec sleep 600`,
    )
    // Whether any of it lives: a machine may keep the dead in their group.
    expect(await endProcessGroup(pid)).toBe(false)
  },
)

it.runIf(process.platform === 'linux')(
  '[G2] leaves nothing running after a run, also what a command put into a session of its own',
  async () => {
    const fixture = await openFixture()
    const file = join(fixture.dir, 'pid')
    await start(
      fixture,
      `
version: 1
name: leaves
agents:
  lead:
    turns:
      - call: bash
        with: { command: "setsid sh -c 'echo $$ > ${file}; exec sleep 600' & while [ ! -s ${file} ]; do sleep 0.01; done" }
      - say: It still runs now.
`,
    )
    await untilQuiet(fixture.shiplog)
    const pid = Number(await readFile(file, 'utf8'))
    expect(await endProcessGroup(pid)).toBe(false)
  },
)
