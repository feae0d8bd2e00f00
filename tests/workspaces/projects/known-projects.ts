/** Projects with a remote, and agents that work or wait in them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { Project } from '../../../src/shared/records/projects/projects.ts'
import { type Fixture, git, start } from '../../harness.ts'

export const talks = `
version: 1
name: talk
agents:
  lead:
    turns:
      - call: write_file
        with: { path: new.txt, content: "new" }
      - report: { title: Done, markdown: One file. }
`

/** It runs a command until the file `go` is there. */
export async function startWaitingPrompt(fixture: Fixture): Promise<TaskId> {
  const at = (name: string) => join(fixture.dir, name)
  const command = `touch '${at('begun')}'; until [ -e '${at('go')}' ]; do sleep 0.05; done`
  const waits = talks
    .replace('call: write_file', 'call: bash')
    .replace(/with: .*/, `with: { command: ${JSON.stringify(command)} }`)
  const id = await start(fixture, waits)
  await expect.poll(() => existsSync(at('begun')), { timeout: 60_000 }).toBe(true)
  return id
}

export const address = 'https://ada:s3cretw0rd@git.example.org/harbour/lights.git'

export async function withRemote(fixture: Fixture): Promise<Project> {
  git(fixture.project.dir, 'remote', 'add', 'origin', address)
  return fixture.shiplog.client.projects.add({ dir: fixture.project.dir })
}

export const notices = async ({ shiplog }: Fixture) => (await shiplog.client.app.info()).notices
export const projects = async ({ shiplog }: Fixture) =>
  (await shiplog.client.projects.list()).projects
