import { parseTaskId, type TaskId } from '../../../shared/ids.ts'

/** Registered with the system for links such as `shiplog://t/<id>`. */
export const linkScheme = 'shiplog'

/**
 * The task that a link names, else null. Any web page can make one be opened, so a link may name what
 * is shown and nothing more: an id, whole, and nothing after it.
 */
export function parseDeepLink(link: string): TaskId | null {
  const [, id] = /^shiplog:\/\/t\/([0-9a-f-]{36})\/?$/.exec(link) ?? []
  return parseTaskId(id)
}

/** The first link among a command line's arguments: how Windows and Linux hand one over. */
export function findDeepLink(argv: readonly string[]): TaskId | null {
  for (const argument of argv) {
    const taskId = parseDeepLink(argument)
    if (taskId !== null) return taskId
  }
  return null
}
