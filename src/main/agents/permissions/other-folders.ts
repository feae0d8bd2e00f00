/** Says in a question where else its command may run: the question names one folder. */
import { relative } from 'node:path'
import type { PermissionRequest } from './analyze-request.ts'
import { named } from './named.ts'

/** More are only counted. */
const namedMax = 3

/** Returns a sentence for the reasons; none for a request that depends on no earlier command. */
export function whereElse(request: PermissionRequest): string[] {
  if (request.kind !== 'command') return []
  const { place, folders = [] } = request
  const others = folders?.filter((one) => one !== place.cwd) ?? null
  if (others?.length === 0) return []
  return [
    `It may run in ${listed(others, place.workingDir)}: an earlier command may have left it there.`,
  ]
}

function listed(folders: string[] | null, workingDir: string): string {
  if (folders === null) return 'another folder'
  if (folders.length > namedMax) return `one of ${folders.length} other folders`
  return folders.map((one) => named(relative(workingDir, one) || '.')).join(' or ')
}
