/** ripgrep as another process: what it is given, what of its findings is used, and that it ends. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findRipgrep } from '../../../src/main/agents/tools/search/ripgrep.ts'
import { openToolBench } from './tool-bench.ts'

let scratch: string
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'shiplog-rg-'))
})
afterEach(() => rm(scratch, { recursive: true, force: true }))

async function benchWith(ripgrep?: string) {
  const bench = await openToolBench({ ...(ripgrep && { ripgrep }) })
  onTestFinished(() => bench.close())
  await mkdir(join(bench.dir, 'sub'))
  await writeFile(join(bench.dir, 'sub', 'file.txt'), 'inside\n')
  await writeFile(join(bench.outside, 'file.txt'), 'outside\n')
  return bench
}

async function script(text: string): Promise<string> {
  const path = join(scratch, 'rg')
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o755)
  return path
}

it('is installed for this platform', async () => {
  expect(await findRipgrep()).toContain(`ripgrep-${process.platform}-${process.arch}`)
})

it('ignores the user’s configuration of ripgrep', async () => {
  const config = join(scratch, 'config')
  await writeFile(config, '--invert-match\n')
  vi.stubEnv('RIPGREP_CONFIG_PATH', config)
  onTestFinished(() => void vi.unstubAllEnvs())
  const bench = await benchWith()
  const { output } = await bench.call('search_files', { pattern: 'inside' })
  expect(output).toBe('sub/file.txt:1: inside')
})

describe.skipIf(process.platform === 'win32')('a folder that is swapped for a link', () => {
  it('omits what ripgrep finds through the link', async () => {
    const rg = await findRipgrep()
    const bench = await benchWith(
      await script(`
case "$*" in *--files-with-matches*)
  mv sub away; ln -s ../outside sub; '${rg}' "$@" > '${scratch}/found'; cat '${scratch}/found'; exit ;;
esac
exec '${rg}' "$@"`),
    )
    const { output } = await bench.call('search_files', { pattern: 'side' })
    expect(await readFile(join(scratch, 'found'), 'utf8')).toContain('sub/file.txt')
    expect(output).toBe('[no matches]')
  })
})

describe.skipIf(process.platform === 'win32')('the process', () => {
  it('is killed when the call is aborted', async () => {
    const pidFile = join(scratch, 'pid')
    const bench = await benchWith(await script(`echo $$ > '${pidFile}'; exec sleep 600`))
    const running = bench.call('search_files', { pattern: 'inside' })
    const ended = expect(running).rejects.toThrow('stopped')
    const pid = await vi.waitUntil(
      async () => Number(await readFile(pidFile, 'utf8').catch(() => '')),
      { timeout: 60_000 },
    )
    bench.abort.abort(new Error('stopped'))
    await ended
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  it('is optional: JavaScript searches if it can’t be started', async () => {
    const bench = await benchWith(join(scratch, 'missing'))
    const { output } = await bench.call('search_files', { pattern: 'inside' })
    expect(output).toBe('sub/file.txt:1: inside')
  })
})
