/** What no patch holds of a worktree stays in the trash when it is removed; nothing of it is deleted unsaid. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { removeDurable } from '../../../src/main/journal/index.ts'
import {
  deleteEmptyFolders,
  deleteFiles,
  moveOut,
} from '../../../src/main/workspaces/leftovers/delete-files.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { record } from '../../crash/fault-fs/record.ts'
import {
  type Fixture,
  git,
  openFixture,
  start,
  taskOf,
  temporaryDir,
  untilQuiet,
  writeFiles,
} from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'

const files = {
  'README.md': '# A project\n',
  'src/code.js': 'original\n',
  'tracked.conf': 'original\n',
  'config/quiet.conf': 'original\n',
  'package.json': '{}\n',
  'Cargo.toml': '[package]\n',
  '.gitignore': '*.db\n.env\nnode_modules\ntarget\n.venv\n__pycache__\nmine\n',
}

const cacheSignature = 'Signature: 8a477f597d28d172789f06886806bc55'

const lead = (command: string) => `
version: 1
name: leaves files
agents:
  lead:
    turns:
      - call: bash
        with: { command: ${JSON.stringify(command)} }
      - report: { title: Done, markdown: Done. }
`

const commands = [
  'echo rows > results.db',
  'echo secret > .env',
  'echo new > src/new.js',
  'echo changed > src/code.js',
  'echo hidden > tracked.conf && git update-index --assume-unchanged tracked.conf',
  'echo skipped > config/quiet.conf && git update-index --skip-worktree config/quiet.conf',
].join(' && ')

const trashOf = ({ dataDir }: Fixture) => join(dataDir, 'trash')

async function end(fixture: Fixture, scenario: string, over: { keep?: boolean } = {}) {
  const id = await start(fixture, scenario, over)
  await untilQuiet(fixture.shiplog)
  const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
  return { id, path }
}

async function ended(scenario: string, over: { keep?: boolean } = {}) {
  const fixture = await openFixture({ files })
  return { fixture, ...(await end(fixture, scenario, over)) }
}

const openAllKinds = preparedFixture((fixture) => end(fixture, lead(commands)), { files })
const openIgnored = preparedFixture((fixture) => end(fixture, lead('echo rows > results.db')), {
  files,
})

/** Waits until it was looked through. */
async function leftoversOf({ shiplog }: Fixture, workspaceId: TaskId) {
  return (await shiplog.client.workspace.leftovers({ workspaceId })).leftovers
}

it('[R3] keeps ignored and hidden files in the trash, and none that the patch holds', async () => {
  const { fixture, id, path } = await openAllKinds()
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  expect(existsSync(path)).toBe(false)
  const [kept] = await leftoversOf(fixture, id)
  expect(kept).toMatchObject({ files: 4, recreatable: [] })
  const dir = join(trashOf(fixture), kept?.name ?? '')
  const there = (await readdir(dir, { recursive: true })).sort()
  expect(there).toEqual(['.env', 'config', 'config/quiet.conf', 'results.db', 'tracked.conf'])
  expect(await readFile(join(dir, 'results.db'), 'utf8')).toBe('rows\n')
  expect(await readFile(join(dir, 'tracked.conf'), 'utf8')).toBe('hidden\n')
  expect(await readFile(join(dir, 'config/quiet.conf'), 'utf8')).toBe('skipped\n')
  expect(git(fixture.project.dir, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
  expect(await fixture.shiplog.client.doctor.check({ repair: false })).toMatchObject({
    problems: [],
  })
})

it('[R3] keeps changes outside a sparse checkout', async () => {
  const outside = [
    'git sparse-checkout set --no-cone src',
    // Without it Git 2.37 and newer looks at files that are there, and the patch holds the change.
    'git config sparse.expectFilesOutsideOfPatterns true',
    'mkdir -p config && echo mine > config/quiet.conf',
    'git update-index --skip-worktree config/quiet.conf',
  ].join(' && ')
  const { fixture, id } = await ended(lead(outside))
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  const [kept] = await leftoversOf(fixture, id)
  const file = join(trashOf(fixture), kept?.name ?? '', 'config/quiet.conf')
  expect(await readFile(file, 'utf8')).toBe('mine\n')
})

it('[R3][R5] is removed with a pipe in place of a tracked file, which the trash keeps', async () => {
  const { fixture, id, path } = await ended(
    lead('rm src/code.js && mkfifo src/code.js && echo new > src/new.js'),
  )
  const { workspace, doctor } = fixture.shiplog.client
  const { files: changed } = await workspace.diff({ workspaceId: id })
  expect(changed.map((file) => file.path)).toEqual(['src/new.js'])
  await workspace.remove({ workspaceId: id })
  expect(existsSync(path)).toBe(false)
  expect(await taskOf(fixture.shiplog, id)).toMatchObject({ archived: true, patch: 'ready' })
  const [kept] = await leftoversOf(fixture, id)
  const there = await readdir(join(trashOf(fixture), kept?.name ?? ''), { recursive: true })
  expect(there.sort()).toEqual(['src', 'src/code.js'])
  await workspace.restore({ workspaceId: id })
  expect(await readFile(join(path, 'src/new.js'), 'utf8')).toBe('new\n')
  expect(await doctor.check({ repair: false })).toMatchObject({ problems: [] })
})

it.runIf(process.platform === 'linux')(
  '[R3] keeps, restores and deletes folders whose paths are too long for the system',
  async () => {
    const name = 'z'.repeat(200)
    // From the inside out, because no command could name the innermost.
    const nest = `mkdir ${name} && echo deep > ${name}/deep.txt && for n in $(seq 40); do mkdir x && mv ${name} x/ && mv x ${name}; done`
    const { fixture, id, path } = await ended(
      lead(`${nest} && mkdir mine && mv ${name} mine/ && echo rows > mine/a.txt`),
    )
    const { client } = fixture.shiplog
    const levels = () => {
      const found = execFileSync('find', ['.', '-name', 'deep.txt'], { cwd: join(path, 'mine') })
      return found.toString().split('/').length
    }
    const before = levels()
    await client.workspace.remove({ workspaceId: id })
    const [kept] = await leftoversOf(fixture, id)
    expect(kept?.files).toBe(2)
    expect(await readdir(trashOf(fixture))).toEqual([kept?.name])
    await client.workspace.restore({ workspaceId: id })
    expect(levels()).toBe(before)
    expect(await readdir(trashOf(fixture))).toEqual([])
    await removeDurable(join(path, 'mine'))
    expect(existsSync(join(path, 'mine'))).toBe(false)
  },
)

it.runIf(process.platform === 'linux')(
  '[R3] keeps, restores and deletes files and folders whose names are not UTF-8',
  async () => {
    const odd = [
      `d="$(printf 'mine\\377')"`,
      'mkdir "$d" && (cd "$d" && echo rows > results.db && mkdir node_modules && echo x > node_modules/x)',
      'echo rows > "$d.db" && echo secret > .env && mkdir "$(printf "empty\\376")"',
      // Only the folder's name tells that it is not made again.
      'mkdir -p node_modules/"$d" && echo {} > node_modules/.package-lock.json && echo x > node_modules/"$d"/x',
    ].join(' && ')
    const { fixture, id, path } = await ended(lead(odd))
    const namesIn = () =>
      execFileSync('find', ['.', '-type', 'f', '-not', '-name', '.git'], {
        cwd: path,
        encoding: 'latin1',
      })
    const before = namesIn().split('\n').sort()
    const { workspace, retention } = fixture.shiplog.client
    await workspace.remove({ workspaceId: id })
    expect(await leftoversOf(fixture, id)).toMatchObject([{ files: 6, recreatable: [] }])
    await workspace.restore({ workspaceId: id })
    expect(namesIn().split('\n').sort()).toEqual(before)
    expect(await readdir(trashOf(fixture))).toEqual([])

    await workspace.remove({ workspaceId: id })
    const [kept] = await leftoversOf(fixture, id)
    await retention.deleteTrashed({ names: [kept?.name ?? ''] })
    expect(await readdir(trashOf(fixture))).toEqual([])
  },
)

it('[R3] keeps the leftover files of a sub-agent whose worktree is removed automatically', async () => {
  const { fixture } = await ended(`
version: 1
name: family
agents:
  lead:
    turns:
      - call: task
        with: { agent: child, title: Child, prompt: Go }
  child:
    turns:
      - call: bash
        with: { command: "echo rows > results.db" }
      - report: { title: Child, markdown: Done. }
`)
  const child = await taskOf(fixture.shiplog, 'Child')
  expect(child.archived).toBe(true)
  const [kept] = await leftoversOf(fixture, child.id)
  expect(kept).toMatchObject({ files: 1, bytes: 5 })
  const file = join(trashOf(fixture), kept?.name ?? '', 'results.db')
  expect(await readFile(file, 'utf8')).toBe('rows\n')
  const { entries } = await fixture.shiplog.client.retention.trash()
  expect(entries).toMatchObject([
    { name: kept?.name, kind: 'trashed-worktree', title: 'Child', count: 1, bytes: 5 },
  ])
})

it('[R3] leaves nothing in the trash if the patch holds everything', async () => {
  const { fixture, id } = await ended(lead('echo new > src/new.js && mkdir -p empty/folder'))
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  expect(await leftoversOf(fixture, id)).toEqual([])
  expect(await readdir(trashOf(fixture))).toEqual([])
})

it('[R3] deletes files that can be generated again, recognized by content and not by name', async () => {
  const made = [
    'mkdir -p node_modules/lib && echo {} > node_modules/.package-lock.json && echo x > node_modules/lib/index.js',
    'mkdir -p target/debug && echo {} > target/.rustc_info.json && echo x > target/debug/app',
    'mkdir -p .venv/bin .venv/lib && echo x > .venv/pyvenv.cfg && echo x > .venv/bin/python',
    `echo "*" > .venv/.gitignore && echo '${cacheSignature}' > .venv/CACHEDIR.TAG && ln -s lib .venv/lib64`,
    'mkdir -p src/__pycache__ && echo x > src/__pycache__/a.cpython-312.pyc',
    // The same names, but somebody's own.
    'mkdir -p mine/target mine/node_modules mine/__pycache__ mine/.venv',
    'echo x > mine/target/plan.txt && echo x > mine/node_modules/notes.txt',
    'echo x > mine/__pycache__/notes.txt && echo x > mine/.venv/notes.txt',
    // A virtual environment around somebody's own files, all of them ignored by a file of its maker's.
    'mkdir -p mine/env/bin && echo x > mine/env/pyvenv.cfg && echo "*" > mine/env/.gitignore',
    `echo '${cacheSignature}' > mine/env/CACHEDIR.TAG && echo x > mine/env/results.csv`,
    // A repository in a folder that is made again is somebody's work.
    'mkdir -p mine/web && cd mine/web && echo {} > package.json && mkdir -p node_modules/fork && echo {} > node_modules/.package-lock.json && git init -q node_modules/fork && echo x > node_modules/fork/patched.js',
  ].join(' && ')
  const { fixture, id } = await ended(lead(`(${made})`))
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  const [kept] = await leftoversOf(fixture, id)
  expect(kept?.recreatable.map(({ path }) => path).sort()).toEqual([
    '.venv',
    'node_modules',
    'src/__pycache__',
    'target',
  ])
  const there = await readdir(join(trashOf(fixture), kept?.name ?? ''), { recursive: true })
  const ownFiles = [
    'target/plan.txt',
    'node_modules/notes.txt',
    '.venv/notes.txt',
    'env/results.csv',
  ]
  for (const own of ownFiles) expect(there).toContain(join('mine', own))
  expect(there).toContain('mine/web/node_modules/fork/patched.js')
  expect(there).not.toContain('node_modules')
  expect((await readdir(trashOf(fixture))).filter((name) => name !== kept?.name)).toEqual([])
})

it('[R3] deletes nothing if a process ended before it had sorted the worktree', async () => {
  const { fixture, id } = await openAllKinds()
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  const [kept] = await leftoversOf(fixture, id)
  await fixture.shiplog.close()
  const dir = join(trashOf(fixture), kept?.name ?? '')
  // As a kill leaves it: moved, and partly looked through.
  await rename(dir, `${dir}.unsorted`)
  await writeFile(join(`${dir}.unsorted`, 'README.md'), files['README.md'])
  await fixture.restart()
  expect(await leftoversOf(fixture, id)).toMatchObject([{ name: kept?.name, files: 4 }])
  expect((await readdir(dir)).sort()).toEqual(['.env', 'config', 'results.db', 'tracked.conf'])
})

it('[R3] keeps what is written to a file while its worktree is being sorted', async () => {
  const { fixture, id } = await openIgnored()
  let written = false
  const recording = record(fixture.dataDir, {
    inject({ call, path }) {
      if (written || call !== 'unlink' || !path.endsWith('/Cargo.toml')) return null
      written = true
      // A shell that was in the worktree, which the recording does not see.
      const cwd = join(fixture.dataDir, dirname(path))
      execFileSync('sh', ['-c', 'echo late >> src/code.js'], { cwd })
      return null
    },
  })
  onTestFinished(() => void recording.stop())
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  const [kept] = await leftoversOf(fixture, id)
  expect(written).toBe(true)
  const dir = join(trashOf(fixture), kept?.name ?? '')
  expect(await readFile(join(dir, 'src/code.js'), 'utf8')).toBe('original\nlate\n')
  expect((await readdir(dir)).sort()).toEqual(['results.db', 'src'])
})

it('[R3] deletes nothing behind a link that replaces a folder meanwhile', async () => {
  const { fixture, id } = await openIgnored()
  const outside = join(fixture.dir, 'outside')
  await writeFiles(outside, { 'code.js': 'of somebody else' })
  let swapped = false
  const recording = record(fixture.dataDir, {
    inject({ call, path }) {
      if (swapped || call !== 'unlink' || !path.endsWith('/Cargo.toml')) return null
      swapped = true
      // Another process, which the recording does not see.
      const cwd = join(fixture.dataDir, dirname(path))
      execFileSync('sh', ['-c', 'rm -r src && ln -s "$1" src', 'sh', outside], { cwd })
      return null
    },
  })
  onTestFinished(() => void recording.stop())
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  await leftoversOf(fixture, id)
  expect(swapped).toBe(true)
  expect(await readFile(join(outside, 'code.js'), 'utf8')).toBe('of somebody else')
})

it.runIf(process.platform === 'linux')(
  '[R3] deletes nothing behind a link that replaces a folder while it is sorted',
  async () => {
    const isMount = async () => false
    const changedSince = async () => false
    // Before each call in turn, and put back three calls later.
    for (let at = 1, swapped = true; swapped; at++) {
      const dir = await temporaryDir()
      const [worktree, outside] = [join(dir, 'worktree'), join(dir, 'outside')]
      await writeFiles(worktree, { 'a/b/saved': 'x', 'a/saved': 'x', 'a/made/x': 'x', saved: 'x' })
      await writeFiles(outside, { 'b/saved': 'mine', saved: 'mine', 'made/x': 'mine' })
      await mkdir(join(worktree, 'a/empty/deep'), { recursive: true })
      await mkdir(join(outside, 'empty/deep'), { recursive: true })
      const before = (await readdir(outside, { recursive: true })).sort()
      swapped = false
      const recording = record(dir, {
        inject({ n }) {
          if (n === at) {
            swapped = true
            execFileSync('sh', ['-c', 'mv a aside && ln -s ../outside a'], { cwd: worktree })
          }
          if (n === at + 3) execFileSync('sh', ['-c', 'rm a && mv aside a'], { cwd: worktree })
          return null
        },
      })
      onTestFinished(() => void recording.stop())
      const saved = ['a/b/saved', 'a/saved', 'saved'].map((name) => Buffer.from(name))
      await deleteFiles(worktree, saved, { isMount, changedSince }).catch(() => undefined)
      await moveOut(worktree, 'a/made', join(dir, 'doomed')).catch(() => undefined)
      await deleteEmptyFolders(worktree, isMount).catch(() => undefined)
      recording.stop()
      const after = (await readdir(outside, { recursive: true })).sort()
      expect(after, `before call ${at}`).toEqual(before)
    }
  },
)

it('[R3] keeps a whole worktree whose changes could not be compared', async () => {
  const { fixture, id } = await openIgnored()
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  const [kept] = await leftoversOf(fixture, id)
  await fixture.shiplog.close()
  const dir = join(trashOf(fixture), kept?.name ?? '')
  await rename(dir, `${dir}.unsorted`)
  await writeFile(join(`${dir}.unsorted`, 'README.md'), files['README.md'])
  await rename(fixture.project.dir, `${fixture.project.dir}-elsewhere`)
  await fixture.restart()
  await leftoversOf(fixture, id)
  expect((await readdir(dir)).sort()).toEqual(['README.md', 'results.db'])
})

it('[R6] brings all files back with a restored root, hidden changes too', async () => {
  const { fixture, id, path } = await openAllKinds()
  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  await leftoversOf(fixture, id)
  await client.workspace.restore({ workspaceId: id })
  expect(await readFile(join(path, 'results.db'), 'utf8')).toBe('rows\n')
  expect(await readFile(join(path, '.env'), 'utf8')).toBe('secret\n')
  expect(await readFile(join(path, 'src/new.js'), 'utf8')).toBe('new\n')
  expect(await readFile(join(path, 'tracked.conf'), 'utf8')).toBe('hidden\n')
  expect(await readFile(join(path, 'config/quiet.conf'), 'utf8')).toBe('skipped\n')
  expect(await readdir(trashOf(fixture))).toEqual([])
})

it('[R6] replaces nothing by the leftovers of an earlier removal', async () => {
  const { fixture, id, path } = await openAllKinds()
  const { workspace } = fixture.shiplog.client
  await workspace.remove({ workspaceId: id })
  const [kept] = await leftoversOf(fixture, id)
  const older = join(trashOf(fixture), kept?.name ?? '')
  await rename(older, join(fixture.dir, 'aside'))
  await workspace.restore({ workspaceId: id })
  await writeFile(join(path, 'tracked.conf'), 'newer\n')
  git(path, 'commit', '-qam', 'Newer')
  await workspace.remove({ workspaceId: id })
  await leftoversOf(fixture, id)
  await rename(join(fixture.dir, 'aside'), older)
  await workspace.restore({ workspaceId: id })
  expect(await readFile(join(path, 'tracked.conf'), 'utf8')).toBe('newer\n')
  expect(await readFile(join(older, 'tracked.conf'), 'utf8')).toBe('hidden\n')
  expect(await readFile(join(path, 'results.db'), 'utf8')).toBe('rows\n')
})

it('[R6] replaces no file that somebody writes while the others are restored', async () => {
  const { fixture, id, path } = await openAllKinds()
  const { workspace } = fixture.shiplog.client
  await workspace.remove({ workspaceId: id })
  await leftoversOf(fixture, id)
  const hidden = ['tracked.conf', 'config/quiet.conf']
  let written: string | undefined
  const recording = record(fixture.dataDir, {
    inject({ call, path: at }) {
      if (written || call !== 'rename' || !hidden.some((name) => at.endsWith(`/${name}`)))
        return null
      written = hidden.find((name) => !at.endsWith(`/${name}`)) ?? ''
      execFileSync('sh', ['-c', 'echo mine >> "$1"', 'sh', written], { cwd: path })
      return null
    },
  })
  onTestFinished(() => void recording.stop())
  await workspace.restore({ workspaceId: id })
  expect(await readFile(join(path, written ?? ''), 'utf8')).toBe('original\nmine\n')
  const [name = ''] = await readdir(trashOf(fixture))
  expect(await readdir(join(trashOf(fixture), name), { recursive: true })).toContain(written)
  // It does not expire while the workspace is in use.
  const { entries } = await fixture.shiplog.client.retention.trash()
  expect(entries).toMatchObject([{ name, until: null }])
})

it('[R3] lists the files that an apply omits, without generated ones', async () => {
  const { fixture, id } = await ended(
    lead(
      `${commands} && mkdir node_modules && echo {} > node_modules/.package-lock.json && mkdir mine && echo x > mine/x`,
    ),
  )
  const outcome = await fixture.shiplog.client.tasks.applyPatch({ taskId: id })
  expect(outcome.kind === 'applied' && outcome.notCarried?.toSorted()).toEqual([
    '.env',
    'config/quiet.conf',
    'mine/',
    'results.db',
    'tracked.conf',
  ])
})
