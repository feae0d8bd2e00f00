/** What of the sessions that were found is imported. Pure. */

import { totalBytes } from '../../../shared/collections/total-bytes.ts'
import type { FoundImportSession, ImportSourceFound } from '../../../shared/contract/imports.ts'
import { importToolSchema } from '../../../shared/records/exported-tasks.ts'
import type { ImportChoice } from '../../store/imports/import-run.ts'

type FoundProject = ImportSourceFound['byProject'][number]

/** Identifies a folder of a tool's sessions. `dir` is null for sessions that do not name theirs. */
export const keyOf = (tool: string, dir: string | null): string => `${tool}\n${dir ?? ''}`

/** What is not imported: whole folders by `keyOf`, and of others single sessions with their sizes. */
export interface LeftOut {
  folders: ReadonlySet<string>
  /** By `keyOf`, then by the tool's name of the session: its bytes. None is empty. */
  sessions: ReadonlyMap<string, ReadonlyMap<string, number>>
}

export const nothingLeftOut: LeftOut = { folders: new Set(), sessions: new Map() }

/** Leaves out the folders, or takes them with all of their sessions. */
export function withFolders(leftOut: LeftOut, keys: readonly string[], isTaken: boolean): LeftOut {
  const folders = new Set(leftOut.folders)
  const sessions = new Map(leftOut.sessions)
  for (const key of keys) {
    sessions.delete(key)
    isTaken ? folders.delete(key) : folders.add(key)
  }
  return { folders, sessions }
}

type Sized = Pick<FoundImportSession, 'session' | 'bytes'>

/**
 * Leaves out one session of a folder, or takes it. `all`: the listed sessions of the folder that can be imported;
 * `older`: the number of those that are not listed.
 */
export function withSession(
  leftOut: LeftOut,
  request: { key: string; session: Sized; all: readonly Sized[]; older: number },
  isTaken: boolean,
): LeftOut {
  const { key, session, all, older } = request
  const before = leftOut.folders.has(key)
    ? new Map(all.map((one) => [one.session, one.bytes]))
    : leftOut.sessions.get(key)
  const left = new Map(before)
  isTaken ? left.delete(session.session) : left.set(session.session, session.bytes)
  if (left.size === 0) return withFolders(leftOut, [key], true)
  if (left.size === all.length && older === 0) return withFolders(leftOut, [key], false)
  const taken = withFolders(leftOut, [key], true)
  return { ...taken, sessions: new Map(taken.sessions).set(key, left) }
}

/** Whether sessions of the folder are not in the archive. */
export const hasNew = ({ sessions, imported }: FoundProject): boolean => sessions > imported

/**
 * The folders with new sessions, except those that are left out. If nothing of a tool is left out, the tool is imported
 * as a whole, with folders that appear later.
 */
export function choicesOf(
  sources: ImportSourceFound[],
  leftOut: LeftOut = nothingLeftOut,
): ImportChoice[] {
  return sources.flatMap((source): ImportChoice[] => {
    const tool = importToolSchema.safeParse(source.tool)
    const isLeftOut = ({ dir }: FoundProject) => leftOut.folders.has(keyOf(source.tool, dir))
    const chosen = source.byProject.filter((one) => hasNew(one) && !isLeftOut(one))
    if (!tool.success || chosen.length === 0) return []
    const except = chosen.flatMap(({ dir }) => [
      ...(leftOut.sessions.get(keyOf(source.tool, dir)) ?? []),
    ])
    const isWhole = except.length === 0 && !source.byProject.some(isLeftOut)
    const exceptBytes = except.reduce((sum, [, bytes]) => sum + bytes, 0)
    return [
      {
        tool: tool.data,
        projects: isWhole ? null : chosen.map(({ dir }) => dir),
        ...(except.length > 0 && { except: except.map(([session]) => session) }),
        expected: {
          sessions: newIn(chosen) - except.length,
          bytes: totalBytes(chosen) - exceptBytes,
        },
      },
    ]
  })
}

/** The number of sessions that are not in the archive. */
export const newIn = (projects: readonly FoundProject[]): number =>
  projects.reduce((sum, { sessions, imported }) => sum + sessions - imported, 0)
