import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readTranscriptPage } from '../../src/main/sessions/transcript.ts'
import { temporaryDir } from '../harness.ts'

it('[A5] tells a transcript that is missing from one that can not be read', async () => {
  const dir = await temporaryDir()
  expect((await readTranscriptPage(dir, { last: 1 })).status).toBe('missing')
  await symlink('chat.jsonl', join(dir, 'chat.jsonl'))
  await expect(readTranscriptPage(dir, { last: 1 })).rejects.toMatchObject({ code: 'ELOOP' })
})
