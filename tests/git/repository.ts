/** Real repositories in temporary directories, and a full account of what is in one. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { createGit } from '../../src/main/git/index.ts'

/** Nobody's settings: neither the machine's nor the user's reach a test. */
export const testEnv: NodeJS.ProcessEnv = {
  ...process.env,
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CONFIG_NOSYSTEM: '1',
}

export const git = createGit({ env: testEnv })

/** Removed when the test ends. Links resolved. */
export async function temporaryDir(): Promise<string> {
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), 'shiplog-git-test-')))
  onTestFinished(async () => {
    await rm(dir, { recursive: true, force: true })
  })
  return dir
}

export interface Repository {
  dir: string
  /** Runs git in it and gives its output without the last newline. */
  git(...args: string[]): string
  write(name: string, content: string | Uint8Array): Promise<void>
  read(name: string): Promise<string>
  remove(name: string): Promise<void>
  link(name: string, target: string): Promise<void>
  executable(name: string): Promise<void>
  /** Commits everything and gives the commit's id. */
  commit(message: string): string
  /** Every path, mode, content and link in it, the index and what git status says. */
  account(): Promise<unknown>
}

export function openRepository(dir: string): Repository {
  const run = (...args: string[]) =>
    execFileSync('git', args, { cwd: dir, env: testEnv, encoding: 'utf8', stdio: 'pipe' }).replace(
      /\n$/,
      '',
    )
  const at = (name: string) => path.join(dir, name)
  return {
    dir,
    git: run,
    async write(name, content) {
      await mkdir(path.dirname(at(name)), { recursive: true })
      await writeFile(at(name), content)
    },
    read: (name) => readFile(at(name), 'utf8'),
    remove: (name) => rm(at(name), { recursive: true }),
    link: (name, target) => symlink(target, at(name)),
    executable: (name) => chmod(at(name), 0o755),
    commit(message) {
      run('add', '--all')
      run('commit', '--quiet', '--allow-empty', '--message', message)
      return run('rev-parse', 'HEAD')
    },
    account: async () => ({
      files: await listing(dir),
      status: run(
        '--no-optional-locks',
        'status',
        '--porcelain=v2',
        '--branch',
        '--ignored',
        '--untracked-files=all',
      ),
      index: run('ls-files', '--stage', '-v'),
      stash: run('stash', 'list'),
    }),
  }
}

/** A repository with somebody's name and, unless told otherwise, one commit. */
export async function makeRepository(
  files: Record<string, string> = { 'README.md': 'one\ntwo\nthree\n' },
  { name = 'project' }: { name?: string } = {},
): Promise<Repository> {
  const dir = path.join(await temporaryDir(), name)
  await cp(await templateOf(files), dir, { recursive: true })
  return openRepository(dir)
}

/** By their files, of this worker: copying one costs a tenth of making it. */
const templates = new Map<string, Promise<string>>()

function templateOf(files: Record<string, string>): Promise<string> {
  const key = JSON.stringify(files)
  const made = templates.get(key) ?? makeTemplate(files)
  templates.set(key, made)
  return made
}

async function makeTemplate(files: Record<string, string>): Promise<string> {
  const parent = process.env.SHIPLOG_TEST_TEMPLATES ?? tmpdir()
  const repository = openRepository(await mkdtemp(path.join(parent, 'repository-')))
  // Without the sample hooks that Git copies into each new repository.
  repository.git('init', '--quiet', '--initial-branch=main', '--template=')
  repository.git('config', 'user.name', 'Ada Example')
  repository.git('config', 'user.email', 'ada@example.org')
  for (const folder of ['hooks', 'info']) await mkdir(path.join(repository.dir, '.git', folder))
  for (const [file, content] of Object.entries(files)) await repository.write(file, content)
  repository.commit('First')
  return repository.dir
}

async function listing(dir: string, below = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of (await readdir(path.join(dir, below))).sort()) {
    const file = path.posix.join(below, name)
    if (file === '.git') continue
    const stats = await lstat(path.join(dir, file))
    const mode = stats.mode.toString(8)
    if (stats.isDirectory()) Object.assign(found, { [file]: mode }, await listing(dir, file))
    else if (stats.isSymbolicLink())
      found[file] = `${mode} -> ${await readlink(path.join(dir, file))}`
    else
      found[file] = `${mode} ${createHash('sha256')
        .update(await readFile(path.join(dir, file)))
        .digest('hex')}`
  }
  return found
}
