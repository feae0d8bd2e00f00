import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findElectron, hasDisplay } from '../../../src/main/hosts/cli/electron-runtime.ts'
import type { WebHostOptions } from '../../../src/main/hosts/web/index.ts'
import { startCli } from '../fake-process.ts'

const url = 'http://127.0.0.1:45678/#token=secret'

function fakeWebHost(portsInUse: number[] = []) {
  const asked: WebHostOptions[] = []
  let closes = 0
  return {
    asked,
    closes: () => closes,
    startWebHost: async (options: WebHostOptions) => {
      asked.push(options)
      if (portsInUse.includes(options.port)) {
        throw Object.assign(new Error('Port is in use'), { kind: 'port-in-use' })
      }
      return {
        url,
        endpoint: url.replace('secret', 'endpoint'),
        port: options.port,
        openingUrl: () => url.replace('token=secret', 'code=once'),
        async close() {
          closes++
        },
      }
    },
  }
}

describe('serve', () => {
  it('prints its URL alone on standard output and ends well with Ctrl-C', async () => {
    const web = fakeWebHost()
    const cli = startCli(['serve'], web)
    await cli.said('Ctrl-C ends it')
    cli.signal('SIGINT')
    expect(await cli.ended).toMatchObject({ code: 0, stdout: `${url}\n` })
    expect(web.closes()).toBe(1)
    expect(web.asked[0]).toMatchObject({
      address: '127.0.0.1',
      rendererDir: '/package/out/renderer',
    })
  })

  it('stops listening and ends with exit 6 if it has lost the data directory', async () => {
    const web = fakeWebHost()
    const cli = startCli(['serve'], web)
    await cli.said('Ctrl-C ends it')
    cli.fake.displace()
    expect(await cli.ended).toMatchObject({ code: 6 })
    expect(cli.fake.closedHow).toHaveLength(1)
    expect(web.closes()).toBe(1)
  })

  it('--json: the URL as one document', async () => {
    const cli = startCli(['serve', '--json'], fakeWebHost())
    await cli.said('Ctrl-C ends it')
    cli.signal('SIGTERM')
    expect(JSON.parse((await cli.ended).stdout)).toEqual({ url })
  })

  it('says which agents it interrupts', async () => {
    const cli = startCli(['serve'], fakeWebHost())
    const projectId = cli.fake.addProject('/code/api')
    cli.fake.spawn(cli.fake.createTask({ projectId, title: 'Long work' }))
    await cli.said('Ctrl-C ends it')
    cli.signal('SIGINT')
    const { stderr } = await cli.ended
    expect(stderr).toContain('Interrupting 1 agent…')
    expect(stderr).toContain('Long work')
    expect(cli.fake.closedHow[0]).toBe('interrupt')
  })

  it('refuses a named port that is in use with exit 2', async () => {
    const web = fakeWebHost([4000])
    expect(await startCli(['serve', '--port', '4000'], web).ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'Error: Port is in use\n',
    })
  })

  it('[K7] without a port uses that of the last start, otherwise any; its lease does not contain the printed link', async () => {
    const web = fakeWebHost()
    const cli = startCli(['serve'], web)
    await cli.said('Ctrl-C ends it')
    cli.signal('SIGINT')
    await cli.ended
    expect(web.asked).toMatchObject([{ port: 0, asBefore: true, pagesFile: '/data/web-host.json' }])
    expect(cli.fake.endpoints[0]).toBe(url.replace('secret', 'endpoint'))
  })

  it('warns of an address that others can reach', async () => {
    const cli = startCli(['serve', '--host', '0.0.0.0'], fakeWebHost())
    await cli.said('0.0.0.0 can be reached by others')
    await cli.said('Ctrl-C ends it')
    cli.signal('SIGINT')
    await cli.ended
  })
})

describe('open', () => {
  let packageDir: string
  beforeEach(async () => {
    packageDir = await mkdtemp(path.join(os.tmpdir(), 'shiplog-open-'))
    await mkdir(path.join(packageDir, 'node_modules', 'electron'), { recursive: true })
    await writeElectron('package.json', '{"name":"electron","version":"45.0.0"}')
  })
  afterEach(() => rm(packageDir, { recursive: true, force: true }))

  async function writeElectron(name: string, text: string, mode?: number) {
    const file = path.join(packageDir, 'node_modules', 'electron', name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text, { mode })
  }

  /** A runtime that prints its arguments. */
  async function installRuntime(version = '45.0.0') {
    await writeElectron('path.txt', 'electron')
    await writeElectron('dist/version', version)
    await writeElectron('dist/electron', '#!/bin/sh\necho "$@" > "$OPEN_LOG"\nexit 3\n', 0o755)
  }

  it('finds the runtime only if it is complete and of the right version', async () => {
    expect(findElectron(packageDir, {})).toBeNull()
    await installRuntime('44.0.0')
    expect(findElectron(packageDir, {})).toBeNull()
    await installRuntime()
    expect(findElectron(packageDir, {})).toBe(
      path.join(packageDir, 'node_modules', 'electron', 'dist', 'electron'),
    )
  })

  it('knows where a window can open', () => {
    expect(hasDisplay('linux', {})).toBe(false)
    expect(hasDisplay('linux', { DISPLAY: ':0' })).toBe(true)
    expect(hasDisplay('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(true)
    expect(hasDisplay('darwin', {})).toBe(true)
  })

  it.each([[[]], [['open']]])(
    '%j without a runtime: says so in one line, then serves',
    async (argv) => {
      const cli = startCli(argv, { ...fakeWebHost(), packageDir })
      await cli.said('Ctrl-C ends it')
      cli.signal('SIGINT')
      const { code, stdout, stderr } = await cli.ended
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${url}\n` })
      expect(stderr.split('\n')[0]).toBe(
        'The Electron runtime is not installed, and there is no display. The app is served to a browser:',
      )
    },
  )

  it('with a log: prints the address that opens it', async () => {
    const log = path.join(packageDir, 'a log.jsonl')
    await writeFile(log, '')
    const cli = startCli(['open', log], { ...fakeWebHost(), packageDir })
    await cli.said('Ctrl-C ends it')
    cli.signal('SIGINT')
    const { stdout } = await cli.ended
    expect(stdout).toBe(`${url}&to=/opened?${new URLSearchParams({ path: log })}\n`)
  })

  it('without a display: says so and serves', async () => {
    await installRuntime()
    const cli = startCli([], { ...fakeWebHost(), packageDir })
    await cli.said('There is no display')
    await cli.said('Ctrl-C ends it')
    cli.signal('SIGINT')
    await cli.ended
  })

  it('with both: starts the app on the data directory and ends as it ends', async () => {
    await installRuntime()
    const log = path.join(packageDir, 'log')
    const { code } = await startCli(['--data-dir', '/kept'], {
      packageDir,
      env: { DISPLAY: ':0', OPEN_LOG: log, PATH: process.env.PATH },
    }).ended
    expect(code).toBe(3)
    const { readFile } = await import('node:fs/promises')
    expect(await readFile(log, 'utf8')).toBe(
      `${path.join(packageDir, 'out', 'main', 'index.js')} --data-dir=/kept\n`,
    )
  })
})
