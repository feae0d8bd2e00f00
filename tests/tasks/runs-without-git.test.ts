import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { entriesOf, start, temporaryDir, until, untilQuiet } from '../harness.ts'

const talk = `
version: 1
name: talk
agents:
  lead:
    turns:
      - say: First.
      - say: Second.
`

/** What Git was asked to do since, without its settings. */
function gitProcesses(): () => string[] {
  const children: ChildProcess[] = []
  // Small enough to start Git itself: what a launcher starts is not seen here.
  const size = vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(0)
  onTestFinished(() => size.mockRestore())
  const note = (message: unknown) => children.push((message as { process: ChildProcess }).process)
  subscribe('child_process', note)
  onTestFinished(() => void unsubscribe('child_process', note))
  return () =>
    children
      .filter(({ spawnfile }) => basename(spawnfile) === 'git')
      .map(({ spawnargs }) => spawnargs.slice(spawnargs.lastIndexOf('-c') + 2).join(' '))
}

it('starts no Git for the branch and the commit of a folder that no repository holds', async () => {
  const dir = await temporaryDir()
  await mkdir(join(dir, 'project'))
  const shiplog = await openShiplog({ host: 'cli', dataDir: join(dir, 'data') })
  onTestFinished(() => shiplog.close())
  const project = await shiplog.client.projects.add({ dir: join(dir, 'project') })
  const asked = gitProcesses()
  const id = await start(
    { dir, dataDir: join(dir, 'data'), project, shiplog, restart: async () => shiplog },
    talk,
    { isolation: 'in-place' },
  )
  await untilQuiet(shiplog)
  const [first, ...others] = asked()
  const whatItIs = 'rev-parse --is-bare-repository --is-inside-work-tree --is-inside-git-dir'
  expect(first).toBe(whatItIs)
  // Who commits, for the agent's shell: that can be set for the whole machine. It may have been asked for already.
  const list = 'config --list -z --show-scope --show-origin'
  expect(others.filter((call) => call !== list)).toEqual([])

  await shiplog.client.tasks.prompt({ taskId: id, prompt: 'More' })
  await until(shiplog, (tasks) => tasks[0]?.runs[1]?.status === 'completed')
  const later = asked().slice(1 + others.length)
  expect(later.filter((call) => call !== whatItIs && call !== list)).toEqual([])
  const branches = (await entriesOf(shiplog, id)).flatMap((entry) =>
    'gitBranch' in entry ? [entry.gitBranch] : [],
  )
  expect(new Set(branches)).toEqual(new Set([null]))
})
