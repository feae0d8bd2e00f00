import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { OpenedLog } from '../../src/shared/contract/opened.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { temporaryDir } from '../harness.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001' as TaskId
const trajectory = {
  schema_version: 'ATIF-v1.7',
  trajectory_id: 't',
  agent: { name: 'a', version: '1' },
  steps: [{ step_id: 1, source: 'user', message: 'Count the auks' }],
}

it('opens logs of any tool for reading, keeps nothing of them, and deletes what a kill left', async () => {
  const log = claudeLog(session)
  log.prompt('Find the albatross')
  log.says('m1', 'Found.')
  const dir = await writeFiles(await temporaryDir(), {
    [`${session}.jsonl`]: log.text(),
    'trajectory.json': JSON.stringify(trajectory),
    'notes.txt': 'no log',
  })
  const dataDir = await temporaryDir()
  const { openedLogs, archive, ledger } = layoutOf(dataDir)
  await mkdir(join(openedLogs, 'left-by-a-kill'), { recursive: true })
  const { client, close } = await openShiplog({ host: 'cli', dataDir })
  onTestFinished(() => close())
  expect(await readdir(dataDir)).not.toContain('opened')
  const recorded = await readFile(ledger)

  const open = async (of: { path: string } | { upload: string }): Promise<OpenedLog> => {
    for await (const event of await client.opened.open(of))
      if (event.type === 'opened') return event.log
    throw new Error('it was not opened')
  }
  const calls = (id: string, path: string[], ...[input]: unknown[]) =>
    client.opened.call({ id, path, ...(input !== undefined && { input }) })
  const claude = await open({ path: join(dir, `${session}.jsonl`) })
  expect(claude).toMatchObject({ tools: ['claude-code'], sessions: [{ taskId: session }] })
  const page = await calls(claude.id, ['transcripts', 'page'], { taskId: session })
  expect(JSON.stringify(page)).toContain('Find the albatross')
  const changes = await calls(claude.id, ['workspace', 'treeChanges'], { workspaceId: session })
  expect(changes).toMatchObject({ files: 0, unknown: [] })
  // As a wire passes it: without a key for the input that there is none of.
  const feed = (await calls(claude.id, ['feed', 'ledger'])) as AsyncIterable<unknown>
  for await (const event of feed) {
    expect(event).toMatchObject({ type: 'snapshot' })
    break
  }
  for (const path of [['tasks', 'start'], ['imports', 'run'], ['opened', 'open'], ['constructor']])
    await expect(calls(claude.id, path, {})).rejects.toMatchObject({ code: 'REFUSED' })

  // A page in a browser sends the file.
  const upload = '1b2c3d4e-0000-4000-8000-00000000000f'
  const data = Buffer.from(JSON.stringify(trajectory)).toString('base64')
  await client.opened.upload({ upload, name: 'runs/t.json', offset: 0, data })
  await expect(
    client.opened.upload({ upload, name: '../t.json', offset: 0, data }),
  ).rejects.toMatchObject({ code: 'INVALID' })
  expect(await open({ upload })).toMatchObject({ tools: ['atif'], name: 'runs' })
  // A folder may hold logs of several tools.
  const both = await open({ path: dir })
  expect(new Set(both.tools)).toEqual(new Set(['claude-code', 'atif']))
  await expect(open({ path: join(dir, 'notes.txt') })).rejects.toMatchObject({
    message: expect.stringContaining('is not a readable log'),
  })
  await expect(open({ path: join(dir, 'nothing') })).rejects.toMatchObject({ code: 'INVALID' })

  // Here nothing is known of them.
  expect((await client.tasks.list({ all: true })).tasks).toEqual([])
  expect((await client.search.find({ query: 'albatross', wait: true })).hits).toEqual([])
  expect(await readdir(archive).catch(() => [])).toEqual([])
  expect((await readFile(ledger)).equals(recorded)).toBe(true)
  await client.opened.close({ id: claude.id })
  expect(await client.opened.get({ id: claude.id })).toEqual({ log: null })
  expect(await readdir(openedLogs)).not.toContain(claude.id)
  await close()
  expect(await readdir(openedLogs)).toEqual([])
})
