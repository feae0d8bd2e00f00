import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { claudeCodeAdapter } from '../../src/main/imports/adapters/claude-code/index.ts'
import { readSessions } from './read-session.ts'

/** Real sessions of Claude Code, which are not in the repository. */
const folder =
  process.env.SHIPLOG_REAL_LOGS ??
  resolve(import.meta.dirname, '../../../shared/transcripts/claude-code')

it('[I2] accounts for every line of real sessions', { timeout: 120_000 }, async ({ skip }) => {
  skip(!existsSync(folder), `There are no real sessions in ${folder}.`)
  const sessions = await readSessions(claudeCodeAdapter, folder)
  expect(sessions.length).toBeGreaterThan(0)
  for (const { found, tasks, damage, links } of sessions) {
    expect(damage).toEqual([])
    const agents = found.files.filter(({ role }) => role === 'sub-agent').length
    expect(tasks).toHaveLength(agents + 1)
    expect(links.linked + links.unlinked + links.orphaned).toBe(agents)
    if (found.files.some(({ role }) => role === 'session')) expect(links.unlinked).toBe(0)
  }
})
