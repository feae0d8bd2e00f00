/** What is allowed is what was shown, also when the project changes while it is being allowed (K8). */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Git } from '../../../src/main/git/index.ts'
import type { Ledger } from '../../../src/main/ledger/ledger.ts'
import type { DataLayout } from '../../../src/main/sessions/session-files.ts'
import { createProjects } from '../../../src/main/workspaces/projects.ts'
import { newProjectId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../../src/shared/records/ledger.ts'

it('[K8] never allows a set-up that replaced the compared one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'shiplog-allowed-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const put = (text: string) => writeFile(join(dir, '.shiplog/project.yaml'), text)
  const shown = 'setup: echo shown\n'
  await mkdir(join(dir, '.shiplog'))
  await put(shown)

  const id = newProjectId()
  const recorded: LedgerEvent[] = []
  const ledger = {
    state: { projects: new Map([[id, { id, dir, git: true }]]), trustedSetups: new Map() },
    subscribe: () => () => {},
    record: async (...events: LedgerEvent[]) => void recorded.push(...events),
  } as unknown as Ledger
  // It is asked for after the file was read.
  const git = {
    repositoryConfig: async () => put('setup: echo later\n').then(() => null),
  } as unknown as Git
  const projects = createProjects({
    ledger,
    git,
    layout: {} as DataLayout,
    secrets: { text: (text) => text },
    onProjectNotice: () => {},
  })

  const configSha256 = createHash('sha256').update(shown).digest('hex')
  await projects.trustSetup(id, configSha256)
  expect(recorded).toEqual([{ type: 'project.setup-trusted', projectId: id, configSha256 }])
})
