/** Reads small rollouts as sessions of Codex. */
import { codexAdapter } from '../../src/main/imports/adapters/codex/index.ts'
import { temporaryDir } from '../harness.ts'
import { writeFiles } from './claude-code-log.ts'
import { codexStartMs, rolloutPath, threadIdAt } from './codex-log.ts'
import { type ReadSession, readSessions } from './read-session.ts'

export const session = threadIdAt(codexStartMs)
export const agentId = threadIdAt(codexStartMs + 5_000, 2)

export async function read(files: Record<string, string>): Promise<ReadSession[]> {
  return readSessions(codexAdapter, await writeFiles(await temporaryDir(), files))
}
export async function readLog(log: { text(): string }): Promise<ReadSession> {
  const [only] = await read({ [rolloutPath(session)]: log.text() })
  if (!only) throw new Error('no session was found')
  return only
}
