/** What lease.json holds may start, list, read and stop; what a user decides needs a window's own token. */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createRouterClient } from '@orpc/server'
import { expect, it } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { openLocalEndpoint } from '../../src/main/hosts/local/endpoint.ts'
import { connectToHolder, readHolder } from '../../src/main/hosts/local/holder.ts'
import { startWebHost } from '../../src/main/hosts/web/index.ts'
import { grantFor, grants } from '../../src/shared/contract/grants.ts'
import { contract, type ShiplogClient } from '../../src/shared/contract/index.ts'
import { newProjectId } from '../../src/shared/records/ids.ts'
import { entriesOf, openFixture, start, temporaryDir, untilQuiet } from '../harness.ts'
import { connect, get, startFixture } from './web-fixture.ts'

const version = '1.2.3'

const procedures = Object.entries(contract).flatMap(([group, of]) =>
  Object.keys(of).map((name) => [group, name] as const),
)
const deciding = procedures.filter((path) => grantFor(path) === 'decide')

const call = (client: ShiplogClient, [group, name]: readonly [string, string]) =>
  (client as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[
    group
  ]?.[name]?.({})

it('[K7] the table has a row for every procedure, and marks the user’s decisions as deciding', () => {
  const rows = Object.entries(grants).flatMap(([group, of]) =>
    Object.keys(of).map((name) => `${group}.${name}`),
  )
  expect(rows.toSorted()).toEqual(procedures.map((path) => path.join('.')).toSorted())
  expect(deciding.map((path) => path.join('.'))).toEqual(
    expect.arrayContaining([
      'projects.trustSetup',
      'retention.setSettings',
      'retention.sweep',
      'retention.deleteTrashed',
      'workspace.trash',
    ]),
  )
  expect(grantFor(['nothing', 'known'])).toBe('decide')
})

it('[K7] a client with lease.json is refused every deciding procedure, with a reference to the place that decides', async () => {
  const dataDir = path.join(await temporaryDir(), 'data')
  const shiplog = await openShiplog({ dataDir, host: 'desktop' })
  const endpoint = await openLocalEndpoint({ shiplog, version })
  try {
    const holder = await readHolder(dataDir)
    if (!holder) throw new Error('nobody holds it')
    const { client, close } = await connectToHolder(holder, { dataDir, version })
    for (const path of deciding)
      await expect(call(client, path), path.join('.')).rejects.toMatchObject({
        code: 'REFUSED',
        data: { reason: 'window-decides' },
        message: expect.stringContaining(
          'in the window of the process that holds the data directory',
        ),
      })
    const withVariable = {
      projectId: newProjectId(),
      agent: { kind: 'scripted' as const, scenario: '', source: '' },
      prompt: 'Go',
      env: ['CLOUD_TOKEN'],
    }
    await expect(client.tasks.start(withVariable)).rejects.toMatchObject({
      data: { reason: 'window-decides' },
    })
    expect(await client.tasks.list({ all: true })).toEqual({ tasks: [] })
    close()
  } finally {
    await endpoint.close()
    await shiplog.close()
  }
})

it('[K7] an agent that reads lease.json in its shell can’t change the policy', async () => {
  const fixture = await openFixture({ host: 'web' })
  await using pages = await startFixture()
  const { rendererDir } = pages
  const web = await startWebHost({
    shiplog: fixture.shiplog,
    port: 0,
    rendererDir,
    version,
    pagesFile: path.join(fixture.dataDir, 'web-host.json'),
  })
  await fixture.shiplog.setEndpoint(web.endpoint)
  const script = path.join(import.meta.dirname, 'decide-from-lease.ts')
  const before = await fixture.shiplog.client.retention.settings()
  const rootId = await start(
    fixture,
    `
version: 1
name: sly
agents:
  lead:
    turns:
      - call: bash
        with: { command: "'${process.execPath}' '${script}' '${fixture.dataDir}' 2>&1" }
      - report: { title: Tried, markdown: Tried. }
`,
  )
  await untilQuiet(fixture.shiplog)
  const said = JSON.stringify(await entriesOf(fixture.shiplog, rootId))
  expect(said).toContain('window-decides')
  expect(said).not.toContain('it was changed')
  expect(await fixture.shiplog.client.retention.settings()).toEqual(before)
  // Nor does anything on the disk hold the token that could.
  const pageToken = new URL(web.url).hash.slice('#token='.length)
  const found = execFileSync('sh', [
    '-c',
    `grep -rlF -e "$1" "$2" || true`,
    'sh',
    pageToken,
    fixture.dataDir,
  ])
  expect(String(found)).toBe('')
  await web.close()
})

it('[K7] a page decides, the lease’s token does not, and the command that holds it does', async () => {
  await using fixture = await startFixture()
  const page = connect(fixture.host)
  const agent = connect(fixture.host, {
    protocols: [
      'shiplog.v1',
      `token.${new URL(fixture.host.endpoint).hash.slice('#token='.length)}`,
    ],
  })
  expect([await fixture.grantOf(page), await fixture.grantOf(agent)]).toEqual(['decide', 'act'])
  const dataDir = path.join(await temporaryDir(), 'data')
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  const settings = await shiplog.client.retention.settings()
  expect(await shiplog.client.retention.setSettings(settings)).toEqual(settings)
  const other = createRouterClient(shiplog.router, { context: { grant: 'act' } })
  await expect(other.retention.setSettings(settings)).rejects.toMatchObject({ code: 'REFUSED' })
  await shiplog.close()
})

it('[K7] the printed link opens after a restart on the same port; a code opens one page, once', async () => {
  const pagesFile = path.join(await temporaryDir(), 'web-host.json')
  await using first = await startFixture({ pagesFile, asBefore: true })
  const { port, url } = first.host
  const token = new URL(url).hash.slice('#token='.length)
  const code = new URL(first.host.openingUrl()).hash.slice('#code='.length)
  const enter = (body: string, headers: Record<string, string> = {}) =>
    get(first.host, '/enter', {
      method: 'POST',
      body,
      headers: { Origin: `http://127.0.0.1:${port}`, ...headers },
    })
  expect((await enter(code, { Origin: 'http://evil.example' })).status).toBe(403)
  const entered = await enter(code)
  expect([entered.status, entered.body.length]).toEqual([200, 43])
  expect((await enter(code)).status).toBe(403)
  expect((await enter('guess')).status).toBe(403)
  await first.host.close()
  const kept = await readFile(pagesFile, 'utf8')
  for (const secret of [token, code, entered.body]) expect(kept).not.toContain(secret)
  await using second = await startFixture({ pagesFile, asBefore: true })
  expect(second.host.port).toBe(port)
  for (const known of [token, entered.body]) {
    const socket = connect(second.host, { protocols: ['shiplog.v1', `token.${known}`] })
    expect(await second.grantOf(socket)).toBe('decide')
  }
})
