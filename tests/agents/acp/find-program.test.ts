import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createFindProgram } from '../../../src/main/agents/acp/process/find-program.ts'
import { findOnPath } from '../../../src/main/processes/find-on-path.ts'
import { temporaryDir } from '../../harness.ts'

afterEach(() => vi.unstubAllEnvs())

const shells = await Promise.all(
  ['bash', 'zsh', 'fish'].map((name) => findOnPath(process.env.PATH ?? '', name)),
)
const startFiles = ['.bash_profile', '.zprofile', '.config/fish/config.fish']

it.each(
  shells.flatMap((shell, at) => (shell === null ? [] : [[shell, startFiles[at] ?? ''] as const])),
)('finds what only the login shell %s has on its PATH', async (shell, startFile) => {
  const home = await temporaryDir()
  const bin = join(home, 'bin')
  for (const dir of ['bin', '.config/fish', 'proj'])
    await mkdir(join(home, dir), { recursive: true })
  const program = join(bin, 'my-agent')
  await writeFile(program, '#!/bin/sh\n')
  await chmod(program, 0o755)
  await writeFile(
    join(home, startFile),
    `echo Welcome\nexport PATH="$PATH${delimiter}${bin}${delimiter}./relative"\n`,
  )
  vi.stubEnv('HOME', home)
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'))
  vi.stubEnv('ZDOTDIR', home)
  vi.stubEnv('SHELL', shell)
  const found = await createFindProgram()('my-agent', '/nowhere')
  expect(found?.file).toBe(program)
  expect(found?.path.split(delimiter)).toContain(bin)
  expect(found?.path).not.toContain('./relative')
})

it('finds nothing without a shell', async () => {
  vi.stubEnv('SHELL', '')
  expect(await createFindProgram()('my-agent', '/nowhere')).toBeNull()
})
