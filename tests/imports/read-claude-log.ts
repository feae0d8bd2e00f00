/** Reads small logs as sessions of Claude Code. */
import { claudeCodeAdapter } from '../../src/main/imports/adapters/claude-code/index.ts'
import { temporaryDir } from '../harness.ts'
import { writeFiles } from './claude-code-log.ts'
import { type ReadSession, readSessions } from './read-session.ts'

export const session = '1b2c3d4e-0000-4000-8000-000000000001'

export async function readFiles(files: Record<string, string>): Promise<ReadSession[]> {
  return readSessions(claudeCodeAdapter, await writeFiles(await temporaryDir(), files))
}

export async function readLog(text: string): Promise<ReadSession> {
  const [only] = await readFiles({ [`${session}.jsonl`]: text })
  if (!only) throw new Error('no session was found')
  return only
}
