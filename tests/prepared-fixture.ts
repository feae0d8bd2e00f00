/** What several tests begin with: made once in a process, kept as it was, and put back in its place for each of them. */
import { execFile as execFileWithCallback } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { Project } from '../src/shared/records/projects/projects.ts'
import {
  type Fixture,
  type FixtureOptions,
  fixtureIn,
  gitProject,
  templatesDir,
} from './harness.ts'

const execFile = promisify(execFileWithCallback)

type Make<T> = (dir: string) => Promise<T>
const kept = new Map<Make<unknown>, Promise<{ dir: string; made: unknown }>>()
const keptOf = (dir: string) => `${dir}-kept`

/**
 * A folder as `make` has left it, and what that resolved with. Nothing has a file in it open, and only one test at
 * a time uses it. It goes with the templates.
 */
export async function preparedDir<T>(make: Make<T>): Promise<{ dir: string; made: T }> {
  const known = kept.get(make) ?? makeKept(make)
  kept.set(make, known)
  const { dir, made } = (await known) as { dir: string; made: T }
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
  // Modes, times and links as they are.
  await execFile('cp', ['-a', keptOf(dir), dir])
  return { dir, made }
}

async function makeKept<T>(make: Make<T>): Promise<{ dir: string; made: T }> {
  const dir = await mkdtemp(join(templatesDir(), 'kept-'))
  const made = await make(dir)
  await execFile('cp', ['-a', dir, keptOf(dir)])
  return { dir, made }
}

/**
 * A way to open a fixture as `prepare` has left it, and as a restart after that finds it, with what `prepare`
 * resolved with. Call it outside of a test: all tests that call its result share what was prepared.
 */
export function preparedFixture<T extends object>(
  prepare: (fixture: Fixture) => Promise<T>,
  options: FixtureOptions = {},
): () => Promise<T & { fixture: Fixture }> {
  const make = async (dir: string): Promise<{ project: Project; prepared: T }> => {
    const fixture = await fixtureIn(
      dir,
      options,
      await gitProject(join(dir, 'project'), options.files),
    )
    try {
      return { project: fixture.project, prepared: await prepare(fixture) }
    } finally {
      await fixture.shiplog.close()
    }
  }
  let isOpen = false
  return async () => {
    if (isOpen) throw new Error('a test has this fixture open: a second one needs its own')
    isOpen = true
    onTestFinished(() => {
      isOpen = false
    })
    const { dir, made } = await preparedDir(make)
    const fixture = await fixtureIn(dir, options, made.project)
    onTestFinished(() => fixture.shiplog.close())
    return { ...made.prepared, fixture }
  }
}
