import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { programVersion } from '../../../src/main/agents/acp/installed/program-version.ts'
import { createFindProgram } from '../../../src/main/agents/acp/process/find-program.ts'
import { runAttached } from '../../../src/main/hosts/cli/run-attached.ts'
import { findOnPath } from '../../../src/main/processes/find-on-path.ts'
import { openTerminal } from '../../../src/main/system/open-terminal.ts'
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

it('starts nothing in the folder of Shiplog itself, which may be a repository whose files the program reads', async () => {
  const dir = await temporaryDir()
  const script = async (name: string, text: string) => {
    const file = join(dir, name)
    await writeFile(file, `#!/bin/sh\necho "$PWD" >> '${join(dir, 'folders')}'\n${text}\n`)
    await chmod(file, 0o755)
    return file
  }
  vi.stubEnv('HOME', dir)
  vi.stubEnv('SHELL', await script('shell', ''))
  await createFindProgram()('my-agent', '/nowhere')
  const agent = await script('agent', 'echo 1.2.3')
  expect(await programVersion(agent, { packageName: null, asks: true })).toBe('1.2.3')
  expect(await runAttached([agent])).toBe(0)
  expect(
    await openTerminal([agent], {
      find: async () => agent,
      env: { DISPLAY: ':0' },
      platform: 'linux',
    }),
  ).toBe(true)
  expect(await readFile(join(dir, 'folders'), 'utf8')).toBe(`${dir}\n`.repeat(4))
})
