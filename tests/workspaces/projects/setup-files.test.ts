/** Which changed files a set-up command can be seen to run (K8). */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { changedSetupFiles } from '../../../src/main/workspaces/setup-files.ts'

async function seenToRun(
  command: string,
  changed: string,
  more: Record<string, string> = {},
  below = '.',
) {
  const root = await mkdtemp(join(tmpdir(), 'shiplog-set-up-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries({ [changed]: 'echo\n', ...more })) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return changedSetupFiles(command, { root, cwd: join(root, below), changed: [changed] })
}

it.each([
  ['beside it', 'sh ../tools/a.sh', 'tools/a.sh', {}],
  ['beside it, after a change of folder', 'cd .. && sh tools/a.sh', 'tools/a.sh', {}],
  ['beside it, in its own script', 'sh a.sh', 'tools/a.sh', { 'app/a.sh': '. ../tools/a.sh' }],
  ['of its own', 'sh a.sh', 'app/a.sh', {}],
  ['that its package manager reads above it', 'npm ci', 'package.json', {}],
])(
  '[K8] in a project that is a folder of its repository, sees a file %s',
  async (_, command, changed, more) => {
    const path = changed.startsWith('app/') ? changed.slice(4) : `../${changed}`
    expect(await seenToRun(command, changed, more, 'app')).toEqual([path])
  },
)

it.each([
  ['a link to it', 'sh ./a.sh', 'tools/b.sh', { 'a.sh': 'tools/b.sh' }],
  ['a link to its folder', 'sh bin/b.sh', 'tools/b.sh', { bin: 'tools' }],
  ['a link to a script that names it', 'sh ./a.sh', 'tools/c.sh', { 'a.sh': 'tools/b.sh' }],
])('[K8] sees a file through %s', async (_, command, changed, links) => {
  const root = await mkdtemp(join(tmpdir(), 'shiplog-set-up-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'tools'))
  for (const name of ['b.sh', 'c.sh']) await writeFile(join(root, 'tools', name), '. ./c.sh\n')
  for (const [path, target] of Object.entries(links)) await symlink(target, join(root, path))
  const seen = await changedSetupFiles(command, { root, cwd: root, changed: [changed] })
  expect(seen).toEqual([changed])
})

it('[K8] counts every changed file if more are named than are searched', async () => {
  const words = Array.from({ length: 20_001 }, (_, n) => `w${n}`).join(' ')
  expect(await seenToRun(`sh a.sh ${words}`, 'src/a.ts')).toEqual(['src/a.ts'])
})

it.each([
  ['after a variable', 'bash "$PWD/scripts/a.sh"', 'scripts/a.sh'],
  ['after a variable in braces', '$' + '{ROOT}/a.sh', 'a.sh'],
  ['after a substitution', 'sh $(pwd)/scripts/a.sh', 'scripts/a.sh'],
  ['in another script', '. "$(dirname "$0")/lib/a.sh"', 'lib/a.sh'],
  ['with letters that are not ASCII', './einrichten-für-alle.sh', 'einrichten-für-alle.sh'],
  ['with a space, quoted', "sh './set up.sh'", 'set up.sh'],
  ['with a space, escaped', 'sh ./set\\ up.sh', 'set up.sh'],
  ['by a pattern', 'for one in scripts/*.sh; do sh "$one"; done', 'scripts/a.sh'],
  ['by a pattern of folders', 'cat tools/**/*.sh | sh', 'tools/a/b.sh'],
  ['by a pattern that every file matches', 'for one in *; do sh "$one"; done', 'a.sh'],
  ['by a pattern that is none', 'sh scripts/[a.sh scripts/a.sh', 'scripts/a.sh'],
  ['by its package manager, in a package of a workspace', 'npm ci', 'packages/a/package.json'],
])('[K8] sees a file named %s', async (_, command, changed) => {
  expect(await seenToRun(command, changed)).toEqual([changed])
})

it('[K8] does not treat the asterisks of comments and of a case as patterns', async () => {
  const script = '/** Prepares. */\ncase "$1" in\n  *) echo ;;\nesac\n'
  expect(await seenToRun('sh scripts/a.sh', 'src/a.ts', { 'scripts/a.sh': script })).toEqual([])
})

it('[K8] finds nothing if another file was changed', async () => {
  const scripts = { 'scripts/a.sh': 'npm ci\n' }
  expect(await seenToRun('sh "$PWD/scripts/a.sh" && ls lib/*.js', 'src/a.ts', scripts)).toEqual([])
})

/** Some disks, such as those of macOS, take no such name. */
const takesAnyBytes = process.platform === 'linux'

it.runIf(takesAnyBytes).each([
  ['a file', 'sh ./a.sh', 'a.sh'],
  ['a folder', 'sh bin/b.sh', 'bin'],
])(
  '[K8] counts every changed file if a link leads to %s whose name is no text',
  async (_, command, link) => {
    const root = await mkdtemp(join(tmpdir(), 'shiplog-set-up-'))
    onTestFinished(() => rm(root, { recursive: true, force: true }))
    const target = Buffer.from('tools\xff', 'latin1')
    const file = Buffer.concat([Buffer.from(`${root}/`), target])
    if (link === 'a.sh') await writeFile(file, '. ./c.sh\n')
    else await mkdir(file)
    if (link === 'bin') await writeFile(Buffer.concat([file, Buffer.from('/b.sh')]), '. ./c.sh\n')
    await symlink(target, join(root, link))
    await writeFile(join(root, 'c.sh'), 'echo\n')
    const seen = await changedSetupFiles(command, { root, cwd: root, changed: ['c.sh'] })
    expect(seen).toEqual(['c.sh'])
  },
)

// As Git lists it, and as a script in Latin-1 is decoded.
it('[K8] sees a file in other bytes than UTF-8 that a script names', async () => {
  const more = { 'a.sh': '. tools/gr\ufffd\ufffde.sh\n' }
  expect(await seenToRun('sh a.sh', 'tools/gr\ufffd\ufffde.sh', more)).toEqual([
    'tools/gr\ufffd\ufffde.sh',
  ])
})
