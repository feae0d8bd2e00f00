/** A process that is killed in the middle of a voyage with real Git worktrees, and the start after it. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, gitProject } from '../harness.ts'
import { seed, soakFactor, within } from './effort.ts'
import { type Fact, whatIsLost } from './facts.ts'
import { createRandom } from './fault-fs/random.ts'
import { differences, readTree } from './fault-fs/tree.ts'
import { scratch } from './places.ts'
import { reopenServices } from './services.ts'

const script = join(import.meta.dirname, 'killed-process.ts')
/** More calls than a voyage takes; a number beyond its end lets it come to that. */
const callsMax = 1600

type Told = Fact | { what: 'over'; attempts: number }

async function playUntilKilled(dataDir: string, projectDir: string, at: number): Promise<Told[]> {
  const child = spawn(process.execPath, [script, dataDir, projectDir, String(at)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let complaint = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('close', resolve)
  if ((await promise) === 1) throw new Error(complaint)
  const lines = output.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Told)
}

it('[J6][R1][T3] loses nothing that was acknowledged when it is killed with its worktrees', {
  timeout: 90_000 * soakFactor,
}, async () => {
  const parent = scratch()
  const random = createRandom(seed)
  const moments = Array.from({ length: 10_000 }, () => 1 + random.below(callsMax))
  const failures = new Map<string, string>()
  const tried = await within(8, moments, async (at) => {
    const place = mkdtempSync(join(parent, 'try-'))
    const projectDir = await gitProject(join(place, 'project'))
    const dataDir = join(place, 'data')
    const told = await playUntilKilled(dataDir, projectDir, at)
    const facts = told.filter((one): one is Fact => one.what !== 'over')
    const opened = await reopenServices(dataDir)
    const wrong = await whatIsLost(dataDir, opened, facts)
    const kept = opened.tasks().filter(({ workspace, archived }) => workspace && !archived)
    await opened.close()
    const worktrees = git(projectDir, 'worktree', 'list').trim().split('\n').length - 1
    // One that was being made for a task that the ledger never heard of may be there as well.
    if (worktrees < kept.length) wrong.push(`${kept.length} workspaces, ${worktrees} worktrees`)
    const ours = (path: string) => !path.startsWith('worktrees')
    const after = new Map([...readTree(dataDir)].filter(([path]) => ours(path)))
    await (await reopenServices(dataDir)).close()
    const again = new Map([...readTree(dataDir)].filter(([path]) => ours(path)))
    wrong.push(...differences(after, again).map((one) => `the second start changed: ${one}`))
    for (const one of wrong) {
      const kind = one.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*')
      if (!failures.has(kind)) failures.set(kind, `killed at call ${at}`)
    }
    rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  })
  console.log(`${tried} kills, seed ${seed}`)
  expect(Object.fromEntries([...failures].slice(0, 20))).toEqual({})
  expect(tried).toBeGreaterThan(0)
})
