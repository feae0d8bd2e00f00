/** Summarises the sessions that a scan found for one tool. */

import { totalBytes } from '../../shared/collections/total-bytes.ts'
import { expiringDays, type ImportSourceFound } from '../../shared/contract/imports.ts'
import { dayMs } from '../../shared/durations.ts'
import type { FoundSession } from './adapters/adapter.ts'

export const sessionBytes = ({ files }: FoundSession): number => totalBytes(files)

/** The newest modification time of a session's files, in milliseconds since the epoch. */
export const lastOf = ({ files }: FoundSession): number =>
  Math.max(...files.map(({ mtimeMs }) => mtimeMs))

/** `imported`: those that are in the archive, unchanged. */
export function sourceFound(
  known: Pick<ImportSourceFound, 'tool' | 'path'>,
  { found, imported }: { found: readonly FoundSession[]; imported: ReadonlySet<FoundSession> },
  nowMs: number,
): ImportSourceFound {
  const importedOf = (sessions: readonly FoundSession[]) =>
    sessions.filter((session) => imported.has(session)).length
  const expiringOf = (sessions: readonly FoundSession[]) =>
    sessions.filter((session) => expiresSoon(session, nowMs)).length
  const byProject = projectsOf(found, { expiringOf, importedOf })
  return {
    ...known,
    sessions: found.length,
    imported: importedOf(found),
    projects: byProject.length,
    byProject,
    subAgents: found.reduce(
      (sum, { files }) => sum + files.filter(({ role }) => role === 'sub-agent').length,
      0,
    ),
    bytes: found.reduce((sum, session) => sum + sessionBytes(session), 0),
    expiringSoon: expiringOf(found),
    keptDays: found.find(({ keptDays }) => keptDays !== undefined)?.keptDays ?? null,
    hidden: found.filter(({ isHidden }) => isHidden).length,
  }
}

export const expiresSoon = ({ expiresAtMs }: FoundSession, nowMs: number): boolean =>
  (expiresAtMs ?? Infinity) <= nowMs + expiringDays * dayMs

/** The projects of the sessions, most recently used first. */
function projectsOf(
  found: readonly FoundSession[],
  {
    expiringOf,
    importedOf,
  }: Record<'expiringOf' | 'importedOf', (sessions: readonly FoundSession[]) => number>,
): ImportSourceFound['byProject'] {
  const byDir = Map.groupBy(found, ({ projectDir }) => projectDir)
  return [...byDir]
    .map(([dir, sessions]) => ({
      dir,
      sessions: sessions.length,
      expiringSoon: expiringOf(sessions),
      imported: importedOf(sessions),
      bytes: sessions.reduce((sum, session) => sum + sessionBytes(session), 0),
      lastAt: new Date(Math.max(...sessions.map(lastOf))).toISOString(),
    }))
    .sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1))
}
