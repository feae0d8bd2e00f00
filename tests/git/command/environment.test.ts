import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { git, makeRepository, temporaryDir, testEnv } from '../repository.ts'

/** Variables that Git gets when Shiplog was started with `host`. */
async function passedOn(host: NodeJS.ProcessEnv, ceilings: string[] = []): Promise<string[]> {
  const dir = await temporaryDir()
  const gitPath = path.join(dir, 'git')
  await writeFile(gitPath, '#!/bin/sh\nenv\n')
  await chmod(gitPath, 0o755)
  const run = createRunGit({ gitPath, env: { ...testEnv, ...host }, ceilings })
  return (await run(['status'], { cwd: dir })).stdout.toString().split('\n')
}

it.each([
  'GIT_TEMPLATE_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_KEY_0',
  'GIT_CONFIG_VALUE_0',
  'GIT_CONFIG_PARAMETERS',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_EXEC_PATH',
  'GIT_PROXY_COMMAND',
  'GIT_EXTERNAL_DIFF',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_TRACE',
  'GIT_A_VARIABLE_OF_TOMORROW',
  'SSH_ASKPASS',
  'AWS_SECRET_ACCESS_KEY',
  'LD_PRELOAD',
  'BASH_ENV',
])('[K8] does not pass %s of the caller on to Git', async (name) => {
  const names = (await passedOn({ [name]: '/nowhere' })).map((entry) => entry.split('=')[0])
  expect(names).not.toContain(name)
})

it('[K8] replaces what the caller says about asking, editing and protocols', async () => {
  const own = { GIT_ASKPASS: '/bin/false', GIT_EDITOR: 'vi', GIT_ALLOW_PROTOCOL: 'ext' }
  const passed = await passedOn({ ...own, GIT_NO_LAZY_FETCH: '0' })
  expect(passed).toEqual(
    expect.arrayContaining([
      'GIT_ASKPASS=',
      'GIT_EDITOR=:',
      'GIT_ALLOW_PROTOCOL=none',
      'GIT_NO_LAZY_FETCH=1',
      'GIT_TERMINAL_PROMPT=0',
      'GIT_OPTIONAL_LOCKS=0',
    ]),
  )
})

it('[K8] passes on where the user’s own configuration and keys are', async () => {
  const own = { HOME: '/home/ada', XDG_CONFIG_HOME: '/home/ada/.config', SSH_AUTH_SOCK: '/run/a' }
  const passed = await passedOn({ ...own, GIT_CONFIG_GLOBAL: '/home/ada/gitconfig' })
  expect(passed).toEqual(expect.arrayContaining(['HOME=/home/ada', 'SSH_AUTH_SOCK=/run/a']))
  expect(passed).toContain('GIT_CONFIG_GLOBAL=/home/ada/gitconfig')
})

it('[K8] sets the ceilings, but for one that the list can’t hold', async () => {
  const passed = await passedOn({}, ['/data', `/da${path.delimiter}ta`])
  expect(passed).toContain('GIT_CEILING_DIRECTORIES=/data')
})

it('[K8] takes no folder that only looks like a bare repository for one', async () => {
  const project = await makeRepository({ 'a.txt': 'a' })
  const trap = path.join(project.dir, 'trap')
  await mkdir(path.join(trap, 'objects'), { recursive: true })
  await mkdir(path.join(trap, 'refs'))
  await project.write('trap/HEAD', 'ref: refs/heads/main\n')
  await project.write('trap/config', '[core]\n\trepositoryformatversion = 0\n\tworktree = .\n')
  await expect(git.inspectProject(trap)).resolves.toEqual({ kind: 'bare' })
  await expect(git.listFiles(trap, {})).resolves.toBeNull()
})

it.each(['', '.', './bin', 'bin'])(
  '[K8] runs no program of the repository for the entry "%s" of the PATH',
  async (entry) => {
    const project = await makeRepository()
    const marker = path.join(await temporaryDir(), 'ran')
    for (const folder of ['', 'bin'])
      for (const name of ['git', 'trap']) {
        await mkdir(path.join(project.dir, folder), { recursive: true })
        const file = path.join(project.dir, folder, name)
        await writeFile(file, `#!/bin/sh\necho ${name} >> '${marker}'\nexec /bin/cat\n`)
        await chmod(file, 0o755)
      }
    // A filter of the user's own, whose program is not installed.
    const own = path.join(path.dirname(marker), 'gitconfig')
    await writeFile(own, '[filter "trap"]\n\tclean = trap\n')
    await project.write('.gitattributes', '*.md filter=trap\n')
    const env = {
      ...testEnv,
      GIT_CONFIG_GLOBAL: own,
      PATH: [entry, testEnv.PATH].join(path.delimiter),
    }
    const run = createRunGit({ env })
    await run(['status'], { cwd: project.dir })
    await run(['hash-object', '--path=README.md', 'README.md'], { cwd: project.dir })
    await expect(readFile(marker, 'utf8')).rejects.toThrow('ENOENT')
  },
)

it('finds Git if there is no PATH', async () => {
  const { PATH: _, ...env } = testEnv
  const run = createRunGit({ env })
  expect((await run(['--version'], { cwd: '/' })).stdout.toString()).toContain('git version')
})
