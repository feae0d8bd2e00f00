/** Ids of imported sessions: the tool's id if it is a valid task id, else derived from tool and name (I3). */
import type { ImportTool } from '../../shared/records/exported-tasks.ts'
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import { derivedId } from './rewritten-ids.ts'

/**
 * Returns a function from the tool's name of a task to its id; '' is the session itself. `version`: the version of a
 * session whose file was rewritten, from 0.
 */
export function idsOf(tool: ImportTool, session: string, version: number): (key: string) => TaskId {
  const of = `${tool}\0${session}${version === 0 ? '' : `\0${version}`}`
  const own = version === 0 ? parseTaskId(session) : null
  return (key) => (key === '' && own !== null ? own : derivedId(of, `task ${key}`))
}
