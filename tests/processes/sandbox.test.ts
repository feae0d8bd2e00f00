/** What the programs that make sandboxes are told, and what is said where there is none. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bubblewrapArgs } from '../../src/main/processes/sandbox/bubblewrap.ts'
import { findSandbox } from '../../src/main/processes/sandbox/index.ts'
import { seatbeltProfile } from '../../src/main/processes/sandbox/seatbelt.ts'

const mounts = [
  { path: '/tmp', writable: true },
  { path: '/data', writable: false },
  { path: '/data/work "1"', writable: true },
]

describe('bubblewrap', () => {
  it('makes everything read-only, then what is named, in that order', () => {
    const limits = { mounts, network: true, hidden: ['/run/user'] }
    expect(bubblewrapArgs(limits, ['bash', '-c', '--x'])).toEqual([
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--tmpfs',
      '/run/user',
      '--bind',
      '/tmp',
      '/tmp',
      '--ro-bind-try',
      '/data',
      '/data',
      '--bind',
      '/data/work "1"',
      '/data/work "1"',
      '--unshare-pid',
      '--unshare-ipc',
      '--die-with-parent',
      '--',
      'bash',
      '-c',
      '--x',
    ])
  })

  it('has no network where that is set', () => {
    const args = bubblewrapArgs({ mounts: [], network: false, hidden: [] }, ['true'])
    expect(args).toContain('--unshare-net')
  })
})

it('writes a seatbelt profile whose later rules count', () => {
  const lines = seatbeltProfile({ mounts, network: false }).split('\n')
  expect(lines.slice(0, 3)).toEqual(['(version 1)', '(allow default)', '(deny file-write*)'])
  expect(lines.slice(-4)).toEqual([
    '(allow file-write* (subpath "/tmp"))',
    '(deny file-write* (subpath "/data"))',
    '(allow file-write* (subpath "/data/work \\"1\\""))',
    '(deny network*)',
  ])
  expect(seatbeltProfile({ mounts, network: true })).not.toContain('network')
})

describe('a system without a sandbox', () => {
  it('says what is missing', async () => {
    const { support, wrap } = await findSandbox({ platform: 'linux', path: '' })
    expect(support.program).toBeNull()
    expect(support.why).toContain('bubblewrap is not installed')
    expect(wrap).toBeNull()
    const windows = await findSandbox({ platform: 'win32' })
    expect(windows.support.why).toContain('no sandbox that Shiplog can use')
  })

  it.skipIf(process.platform === 'win32')('says what a program that fails said', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'shiplog-bwrap-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    await writeFile(join(dir, 'bwrap'), '#!/bin/sh\necho "no user namespaces" >&2; exit 1\n')
    await chmod(join(dir, 'bwrap'), 0o755)
    const { support } = await findSandbox({ platform: 'linux', path: dir })
    expect(support).toEqual({
      program: null,
      why: 'bubblewrap can’t be used here: no user namespaces',
    })
  })
})
