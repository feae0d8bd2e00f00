/** A filter that was allowed runs nothing that an agent put where an interpreter, make or a package manager looks (K8). */
import { spawnSync } from 'node:child_process'
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { loadedBy } from '../../../src/main/git/repository-config/loaded-modules.ts'
import { casesOf } from '../../soak.ts'
import { makeRepository, testEnv } from '../repository.ts'
import { writing } from './every-call.ts'

type Files = Record<string, string>

/** The command, the files when it was allowed, and the agent's file. */
type Case = [string, Files, string, (marker: string) => string]

const python = 'import sys, json\nsys.stdout.write(sys.stdin.read())\n'
const node = 'process.stdin.pipe(process.stdout)\n'
const shell = '#!/bin/sh\ncat\n'
const make = 'all:\n\t@cat\n'
const packageOf = (x: string) => JSON.stringify({ scripts: { x } })

const inShell = (marker: string) => `#!/bin/sh\necho >> '${marker}'\ncat\n`
const inPython = (marker: string) => `open('${marker}', 'a').write('x')\n`
const inNode = (marker: string) => `require('node:fs').appendFileSync('${marker}', 'x')\n`
const inMake = (marker: string) => `all:\n\t@echo >> '${marker}'; cat\n`
const inPackage = (marker: string) => packageOf(`echo >> '${marker}'; cat`)
const inAwk = (marker: string) => `{ system("echo >> '${marker}'"); print }\n`
const inPerl = (marker: string) => `open(F, '>>', '${marker}'); print F 'x'; 1;\n`

const cases: Case[] = [
  ['python3 -m json.tool', {}, 'argparse.py', inPython],
  ["python3 -c 'import sys, json; sys.stdout.write(sys.stdin.read())'", {}, 'json.py', inPython],
  ['python3 tools/x.py', { 'tools/x.py': python }, 'tools/json.py', inPython],
  ['python3 tools/x.py', { 'tools/x.py': python }, 'tools/re.py', inPython],
  ['python3 tools/x.py', { 'tools/x.py': python }, 'tools/json/__init__.py', inPython],
  [
    'python3 tools/x.py',
    { 'tools/x.py': `from lib import util\n${python}`, 'tools/lib/util.py': '' },
    'tools/lib/util.py',
    inPython,
  ],
  ['python3 tools', { 'tools/__main__.py': python }, 'tools/__main__.py', inPython],
  [
    'node tools/x.js',
    { 'tools/x.js': `require('./lib/util')\n${node}`, 'tools/lib/util.js': '' },
    'tools/lib/util.js',
    inNode,
  ],
  [
    'node tools/x.cjs',
    { 'tools/x.cjs': `require('./lib')\n${node}`, 'tools/lib/index.js': '' },
    'tools/lib/index.js',
    inNode,
  ],
  [
    'node tools',
    { 'tools/package.json': '{"main":"a"}', 'tools/a.js': node },
    'tools/a.js',
    inNode,
  ],
  ['make -sC tools', { 'tools/Makefile': make }, 'tools/Makefile', inMake],
  ['make -sC tools', { 'tools/Makefile': make }, 'tools/GNUmakefile', inMake],
  ['npm -s run x', { 'package.json': packageOf('cat') }, 'package.json', inPackage],
  [
    'npm -s --prefix tools run x',
    { 'tools/package.json': packageOf('cat') },
    'tools/package.json',
    inPackage,
  ],
  ['npx --no-install fmt', { 'node_modules/.bin/fmt': shell }, 'node_modules/.bin/fmt', inShell],
  ['PATH=tools:$PATH run', { 'tools/run': shell }, 'tools/run', inShell],
  ['PATH="$PWD/tools:$PATH" run || cat', {}, 'tools/run', inShell],
  [
    'cd "$(git rev-parse --show-toplevel)/tools" && ./run',
    { 'tools/run': shell },
    'tools/run',
    inShell,
  ],
  [
    'sh tools/run',
    { 'tools/run': '. "$(dirname "$0")"/lib.inc\ncat\n', 'tools/lib.inc': '' },
    'tools/lib.inc',
    inShell,
  ],
  [
    'sh tools/run',
    { 'tools/run': 'for f in tools/d/*.sh; do . "$f"; done\ncat\n', 'tools/d/a.sh': ':\n' },
    'tools/d/b.sh',
    inShell,
  ],
  ['perl -Itools -MX -pe 1', { 'tools/X.pm': '1;\n' }, 'tools/X.pm', inPerl],
  [
    'perl tools/x.pl',
    {
      'tools/x.pl': 'use FindBin; use lib "$FindBin::Bin/own"; use X; print while <>;\n',
      'tools/own/X.pm': '1;\n',
    },
    'tools/own/X.pm',
    inPerl,
  ],
  ['awk -ftools/x.awk', { 'tools/x.awk': '{ print }\n' }, 'tools/x.awk', inAwk],
]

async function put(root: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
    if (text.startsWith('#!')) await chmod(file, 0o755)
  }
}

/** Modules of the current folder can't be left out before Python 3.11 (`PYTHONSAFEPATH`). */
const hasSafePath =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0

const programOf = ([command]: Case) => command.split(' ')[0]
const isFirstOfProgram = (one: Case) =>
  one === cases.find((other) => programOf(other) === programOf(one))

it.each(casesOf(cases, isFirstOfProgram))('[K8] %s', async (command, files, name, evil) => {
  if (/^python3 -/.test(command) && !hasSafePath) return
  const project = await makeRepository({ '.gitattributes': '*.txt filter=own\n', 'zz.txt': '1\n' })
  const { dir } = project
  const base = path.dirname(dir)
  const marker = path.join(base, 'sprung')
  await put(dir, files)
  project.git('add', '--all', '--force')
  project.git('commit', '--quiet', '--allow-empty', '--message', 'Tools')
  const value = `"${command.replaceAll('"', '\\"')}"`
  await appendFile(
    path.join(dir, '.git/config'),
    `[filter "own"]\n\tclean = ${value}\n\tsmudge = ${value}\n`,
  )
  const asked = await createGit({ env: testEnv }).repositoryConfig(dir)
  const git = createGit({ env: testEnv, isAllowed: (sha256) => sha256 === asked?.sha256 })
  const head = project.git('rev-parse', 'HEAD')

  const worktree = path.join(base, 'worktree')
  await git.createWorktree({ repoDir: dir, path: worktree, branch: 'a', from: head })
  await put(worktree, { [name]: evil(marker), 'zz.txt': '2\n' })
  await git.diff({ dir: worktree, baseCommit: head })
  const saved = { seriesPath: path.join(base, 'series'), worktreePath: path.join(base, 'patch') }
  await git.savePatch({ dir: worktree, baseCommit: head, ...saved })

  const run = (...args: string[]) =>
    project.git('-c', 'filter.own.clean=', '-c', 'filter.own.smudge=', ...args)
  run('checkout', '--quiet', '-b', 'agent')
  await put(dir, { [name]: evil(marker), 'zz.txt': '2\n' })
  run('add', '--all', '--force')
  run('commit', '--quiet', '--message', 'Agent')
  const final = project.git('rev-parse', 'HEAD')
  run('checkout', '--quiet', '--force', 'main')
  const again = path.join(base, 'again')
  await git.restoreWorktree({ repoDir: dir, path: again, branch: 'b', head, final })
  const merge = { targetDir: dir, baseCommit: head, theirCommit: final, ...writing() }
  expect(await git.mergeInto(merge)).toMatchObject({ kind: 'applied' })
  expect(await readFile(marker, 'utf8').catch(() => '')).toBe('')
})

it.each([
  ['x.pl', '\n', '{ use Own;'],
  ['x.py', `from ${'.'.repeat(200_000)}`, '\nimport Own'],
])('reads %s at once, whatever it is made of', (name, part, last) => {
  const before = performance.now()
  const text = part.repeat(Math.ceil(200_000 / part.length)) + last
  const { paths } = loadedBy(`/top/${name}`, text, { top: '/top', roots: [], command: name })
  expect(paths.filter((file) => /\/Own\.p[my]$/.test(file))).not.toEqual([])
  expect(performance.now() - before).toBeLessThan(5_000)
})
