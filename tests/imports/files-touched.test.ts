import { expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { filesTouched } from '../../src/main/record-tools/answers.ts'
import { temporaryDir } from '../harness.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001'

it('lists the files that an imported session edited, and says that those of its commands are not known', async () => {
  const log = claudeLog(session)
  log.prompt('Edit')
  for (const call of ['c1', 'c2']) {
    log.calls(`m-${call}`, call, 'Edit', { file_path: '/code/app/a.ts' })
    const hunk = { oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ['-a', '+b'] }
    const toolUseResult = { filePath: '/code/app/a.ts', structuredPatch: [hunk] }
    log.returns(call, 'The file has been updated.', { toolUseResult })
  }
  const dir = await writeFiles(await temporaryDir(), { [`${session}.jsonl`]: log.text() })
  const { client, close } = await openShiplog({ host: 'cli', dataDir: await temporaryDir() })
  onTestFinished(() => close())
  for await (const _ of await client.imports.run({ tool: 'claude-code', path: dir }));
  const { signal } = new AbortController()
  const said = await filesTouched(client, { task: session, limit: 10, scope: undefined }, signal)
  expect(said).toMatch(
    new RegExp(`^1 file changed in shiplog://task/${session}:\n- a\\.ts: entries \\d+ to \\d+\n`),
  )
  expect(said).toContain('files that commands changed are not listed')
})
