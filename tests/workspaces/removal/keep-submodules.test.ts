import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { keepSubmodules } from '../../../src/main/workspaces/changes/keep-submodules.ts'
import { temporaryDir } from '../../harness.ts'

it('[R3] moves the Git folder of a submodule last, because what follows a crash finds it only in its place', async () => {
  const dir = await temporaryDir()
  const gitDir = join(dir, 'lib')
  await mkdir(gitDir)
  const released: string[] = []
  let crashes = true
  const deps = {
    git: {
      releaseSubmodule: async () => {
        if (crashes) throw new Error('killed')
        released.push(gitDir)
      },
    },
    layout: layoutOf(join(dir, 'data')),
    onProblem: () => undefined,
  }
  const task = { id: 'id', title: 'Work', projectDir: dir } as never
  await expect(keepSubmodules(deps, task, [{ path: 'lib', gitDir }])).rejects.toThrow('killed')
  expect(existsSync(gitDir)).toBe(true)
  crashes = false
  await keepSubmodules(deps, task, [{ path: 'lib', gitDir }])
  expect([existsSync(gitDir), released]).toEqual([false, [gitDir]])
})
