/** A repository that an agent builds with file tools alone: what its configuration names must not run (K8). */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await openToolBench()
})
afterEach(() => bench.close())

const write = (path: string, content: string) => bench.call('write_file', { path, content })

/** As somebody without our settings would run it. */
const plainGit = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: bench.outside, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })

/** `within`: what the working directory is before; the trap can be found from inside or from outside of a repository. */
describe.each(['a repository', 'no repository'])('[K8] in %s', (within) => {
  it('runs nothing that a bare repository of four written files names', async () => {
    if (within === 'a repository') plainGit(bench.dir, 'init', '-q')
    const canary = join(bench.outside, 'ran')
    const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch '${canary}'; false"\n`
    await write('trap/HEAD', 'ref: refs/heads/main\n')
    await write('trap/config', config)
    await write('trap/objects/info/packs', '')
    await write('trap/refs/heads/.keep', '')

    const listed = await bench.call('list_files', { path: 'trap' })
    expect(listed.output.split('\n')).toContain('trap/config')
    const found = await bench.call('search_files', { path: 'trap', pattern: 'fsmonitor' })
    expect(found.output).toContain('trap/config:5')
    await bench.call('list_files')
    await bench.call('search_files', { pattern: 'fsmonitor' })
    await bench.call('read_file', { path: 'trap/config' })
    // An agent's shell has the same settings for its Git.
    await bench.call('bash', { command: 'cd trap && git status; git ls-files --others; cd ..' })
    expect(existsSync(canary)).toBe(false)

    // The trap is one: without our settings it springs.
    plainGit(join(bench.dir, 'trap'), 'ls-files', '--others')
    expect(existsSync(canary)).toBe(true)
  })
})

const spellings = [
  '.git',
  '.GIT',
  '.Git',
  '.git.',
  '.git ',
  'git~1',
  'GIT~1',
  '.g\u200cit',
  '\ufeff.git',
  '.git\u200f',
  '.git::$INDEX_ALLOCATION',
]

describe('[K8] each spelling of .git', () => {
  it.each(spellings)(
    '%j is refused, as a file, as a folder and below another one',
    async (name) => {
      for (const path of [name, `${name}/config`, `sub/${name}/hooks/post-checkout`]) {
        const { outcome, output } = await write(path, 'x')
        expect({ path, outcome }).toEqual({ path, outcome: 'error' })
        expect(output).toContain('belongs to Git')
        expect(existsSync(join(bench.dir, path))).toBe(false)
      }
    },
  )

  it.skipIf(process.platform === 'win32').each(['.GIT', '.g\u200cit'])(
    '%j is refused for an edit of what stands there',
    async (name) => {
      await mkdir(join(bench.dir, name))
      await writeFile(join(bench.dir, name, 'config'), 'old\n')
      const edit = { path: `${name}/config`, oldText: 'old', newText: 'new' }
      expect(await bench.call('edit_file', edit)).toMatchObject({
        outcome: 'error',
        output: expect.stringContaining('belongs to Git'),
      })
      expect((await bench.call('list_files')).output).toBe('[no files]')
      await rm(join(bench.dir, name), { recursive: true })
    },
  )
})
