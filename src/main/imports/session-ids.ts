/** Ids of imported sessions: their own where they have the form of Shiplog's, else derived from tool and name (I3). */
import type { ImportTool } from '../../shared/records/exported-tasks.ts'
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import { derivedId } from './rewritten-ids.ts'

/**
 * Returns the id of each task of a session by the name that the tool has for it; '' is the session itself. `nth` counts
 * the versions of a session whose file was rewritten, from 0.
 */
export function idsOf(tool: ImportTool, session: string, nth: number): (key: string) => TaskId {
  const of = `${tool}\0${session}${nth === 0 ? '' : `\0${nth}`}`
  const own = nth === 0 ? parseTaskId(session) : null
  return (key) => (key === '' && own !== null ? own : derivedId(of, `task ${key}`))
}
