import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const projectRoot = join(import.meta.dirname, '../..')

/** Notes how it was called and, like npm, starts by deleting what was installed. */
const fakeNpm = `#!/bin/sh
echo "$@" >> "$CALLS"
rm -rf node_modules
[ "$1 $FAILING" = "ci yes" ] && exit 1
mkdir -p node_modules/.bin
ln -s "$NODE" node_modules/.bin/node
`

describe.skipIf(process.platform === 'win32')('setting up a fresh checkout', () => {
  let checkout: string
  let tools: string
  let calls: string

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'shiplog-setup-'))
    tools = join(checkout, 'tools')
    calls = join(checkout, 'calls')
    mkdirSync(tools)
    writeFileSync(calls, '')
    cpSync(join(projectRoot, 'scripts'), join(checkout, 'scripts'), { recursive: true })
    writeFileSync(join(checkout, 'package-lock.json'), '{ "packages": {} }')
    for (const name of ['rm', 'mkdir', 'ln', 'git']) symlinkSync(which(name), join(tools, name))
    writeFileSync(join(tools, 'npm'), fakeNpm)
    chmodSync(join(tools, 'npm'), 0o755)
  })
  afterEach(() => rmSync(checkout, { recursive: true, force: true }))

  function setUp(env: Record<string, string> = {}) {
    const run = spawnSync(process.execPath, ['scripts/setup.mjs'], {
      cwd: checkout,
      encoding: 'utf8',
      env: { PATH: tools, CALLS: calls, NODE: process.execPath, ...env },
    })
    return {
      status: run.status,
      said: run.stderr,
      onStdout: run.stdout,
      npmCalls: readFileSync(calls, 'utf8').trim(),
    }
  }

  it('installs what the lockfile says, with what a user’s npm may leave out', () => {
    const { status, said, onStdout, npmCalls } = setUp()
    expect(said).toContain('Installing packages')
    expect(status).toBe(0)
    expect(npmCalls).toBe('ci --ignore-scripts --include=dev --include=optional --loglevel=error')
    expect(onStdout).toBe('')
  })

  it('runs no install script but the one that is needed', () => {
    const installs = (name: string) => `mkdir -p node_modules/${name}
echo 'require("node:fs").appendFileSync(process.env.CALLS, "ran ${name} ")' > node_modules/${name}/install.js
`
    writeFileSync(join(tools, 'npm'), fakeNpm + installs('esbuild') + installs('other'))
    const { status, npmCalls } = setUp()
    expect(status).toBe(0)
    expect(npmCalls.split('\n').slice(1)).toEqual(['ran esbuild'])
  })

  it('does nothing the second time', () => {
    setUp()
    const { said, npmCalls } = setUp()
    expect(said).toBe('')
    expect(npmCalls.split('\n')).toHaveLength(1)
  })

  it('installs again when the lockfile has changed', () => {
    setUp()
    writeFileSync(join(checkout, 'package-lock.json'), '{ "packages": { "": {} } }')
    expect(setUp().npmCalls.split('\n')).toHaveLength(2)
  })

  it('installs again after an install that was broken off', () => {
    expect(setUp({ FAILING: 'yes' })).toMatchObject({
      status: 1,
      said: expect.stringContaining('npm ci failed (exit code 1)'),
    })
    expect(setUp().status).toBe(0)
  })

  it('never installs with the node or npm that lies in node_modules, which installing deletes', () => {
    setUp()
    const bin = join(checkout, 'node_modules', '.bin')
    symlinkSync(join(tools, 'npm'), join(bin, 'npm'))
    writeFileSync(join(checkout, 'package-lock.json'), '{}')
    const { status } = setUp({
      PATH: [bin, tools].join(delimiter),
      npm_node_execpath: join(bin, 'node'),
      npm_execpath: join(checkout, 'npm-cli.js'),
    })
    expect(status).toBe(0)
  })

  it('drops a Node that does not run here, so that it does not hide the machine’s own', () => {
    const foreign = join(tools, 'node-for-another-libc')
    writeFileSync(foreign, '#!/bin/sh\nexit 127\n', { mode: 0o755 })
    const { status } = setUp({ NODE: foreign })
    expect(status).toBe(0)
    expect(() => readFileSync(join(checkout, 'node_modules', '.bin', 'node'))).toThrow('ENOENT')
  })

  it('gives advice when Git or npm is missing', () => {
    rmSync(join(tools, 'npm'))
    expect(setUp()).toMatchObject({ status: 1, said: expect.stringContaining('npm was not found') })
    rmSync(join(tools, 'git'))
    expect(setUp()).toMatchObject({ status: 1, said: expect.stringContaining('Git was not found') })
  })
})

function which(name: string): string {
  return spawnSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()
}
