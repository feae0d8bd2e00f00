import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { record } from '../crash/fault-fs/record.ts'
import { openFixture, start, untilQuiet } from '../harness.ts'

const talkative = `
version: 1
name: talkative
agents:
  lead:
    turns:
      - say: What is said here stays in the transcript.
      - call: bash
        with: { command: "echo printed-by-a-command" }
`

const linesOf = async (dataDir: string): Promise<string[]> =>
  (await readFile(join(dataDir, 'logs', 'shiplog.log'), 'utf8')).trimEnd().split('\n')
const events = (lines: string[]) => lines.map((line) => line.split(' ')[2])

it('says in a log when a host started and how it ended, by version and platform', async () => {
  const { shiplog, dataDir } = await openFixture({ host: 'web' })
  expect((await shiplog.client.app.info()).logFile).toBe(join(dataDir, 'logs', 'shiplog.log'))
  await shiplog.close('terminate')
  const lines = await linesOf(dataDir)
  expect(events(lines)).toEqual(['host.starting', 'recovered', 'host.started', 'host.ended'])
  expect(lines[0]).toMatch(/ host=web version=[\d.]+ platform=\w+-\w+ .*node=/)
  expect(lines.at(-1)).toContain('how=terminate')
})

it('logs repairs, and nothing that agents said or printed', async () => {
  const fixture = await openFixture()
  await start(fixture, talkative, { prompt: 'Prompted by the user' })
  await untilQuiet(fixture.shiplog)
  await fixture.shiplog.close()
  await writeFile(join(fixture.dataDir, 'ledger.jsonl'), '{"torn', { flag: 'a' })
  await fixture.restart()
  await fixture.shiplog.close()
  const text = (await linesOf(fixture.dataDir)).join('\n')
  expect(text).toMatch(
    /info notice text=".*The log was repaired\." details="ledger\.jsonl ended in 6 bytes/,
  )
  for (const said of ['stays in the transcript', 'printed-by-a-command', 'Prompted by'])
    expect(text).not.toContain(said)
})

it('[K3] hides the secrets of a project in the log', async () => {
  const fixture = await openFixture()
  const secret = 'b7e23ec29af22b0b4e41da31e868d57226121c84'
  await writeFile(join(fixture.project.dir, '.env'), `DEPLOY_TOKEN=${secret}\n`)
  await fixture.restart()
  // A start reads the project's files; what goes wrong afterwards names the folder of that name.
  const { shiplog } = fixture
  await mkdir(join(fixture.dir, secret))
  await shiplog.client.projects.add({ dir: join(fixture.dir, secret) }).catch(() => undefined)
  shiplog.log.error('test', { error: new Error(`could not deploy with ${secret}`) })
  await shiplog.close()
  const text = (await linesOf(fixture.dataDir)).join('\n')
  expect(text).not.toContain(secret)
  expect(text).toContain('could not deploy with [hidden: DEPLOY_TOKEN]')
})

it('works where the log can’t be written, and says so once', async () => {
  const fixture = await openFixture()
  await fixture.shiplog.close()
  // Permissions do not keep root from anything, so the disk refuses it.
  const recording = record(join(fixture.dataDir, 'logs'), {
    inject: ({ call }) => (/^(?:open|mkdir|write)/.test(call) ? { code: 'EROFS' } : null),
  })
  onTestFinished(() => void recording.stop())
  const shiplog = await fixture.restart()
  const taskId = await start(fixture, talkative)
  await untilQuiet(shiplog)
  expect((await shiplog.client.tasks.list({ all: true })).tasks[0]).toMatchObject({
    id: taskId,
    status: 'completed',
  })
  const { notices } = await shiplog.client.app.info()
  expect(notices.map(({ text }) => text)).toEqual([
    'Shiplog’s own log can’t be written. Everything else works.',
  ])
})

it('logs a call that a bad disk made fail, and no call that was answered', async () => {
  const fixture = await openFixture()
  const { retention, workspace } = fixture.shiplog.client
  const settings = await retention.settings()
  const recording = record(fixture.dataDir, {
    inject: ({ call, path }) =>
      call.startsWith('write') && path.startsWith('settings.json') ? { code: 'ENOSPC' } : null,
  })
  onTestFinished(() => void recording.stop())
  await expect(retention.setSettings(settings)).rejects.toThrow()
  await expect(workspace.diff({ workspaceId: 'no-such-one' })).rejects.toThrow()
  await fixture.shiplog.close()
  const failed = (await linesOf(fixture.dataDir)).filter((line) => line.includes('call.failed'))
  expect(failed).toHaveLength(1)
  expect(failed[0]).toContain('procedure=retention.setSettings')
})
