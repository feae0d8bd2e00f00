/**
 * Stores `permissions.json` in the data directory: the user's permissions for agents, everywhere
 * and in each project. See docs/PERMISSIONS.md.
 */
import { z } from 'zod'
import {
  noPermissionSettings,
  type PermissionScope,
  type PermissionSettings,
  permissionSettingsSchema,
} from '../../../shared/agents/permissions.ts'
import { openSettingsFile } from '../../journal/files/settings-file.ts'

const contentSchema = z.object({
  everywhere: permissionSettingsSchema,
  /** By project. `dir` is stored because permissions for one folder never apply to another. */
  projects: z.record(z.string(), permissionSettingsSchema.extend({ dir: z.string() })),
})

export interface PermissionStore {
  /**
   * `dir` is the present folder of the project. For another folder, only rules that narrow apply.
   */
  of(scope: PermissionScope, dir: string): PermissionSettings
  /**
   * Replaces the settings by the result of `change`, and resolves with them once they are durable.
   * Serialized.
   */
  change(
    scope: PermissionScope,
    dir: string,
    change: (now: PermissionSettings) => PermissionSettings,
  ): Promise<PermissionSettings>
  /** The sentence that says that the settings could not be read, and where they are; null if they were read. */
  readonly lost: string | null
}

/** `path` is absolute. */
export async function openPermissionStore(path: string): Promise<PermissionStore> {
  const file = await openSettingsFile(path, contentSchema, {
    everywhere: noPermissionSettings,
    projects: {},
  })

  function of(scope: PermissionScope, dir: string): PermissionSettings {
    const { everywhere, projects } = file.current()
    if (scope.kind === 'everywhere') return everywhere
    const found = projects[scope.projectId]
    if (!found) return noPermissionSettings
    const { mode, rules } = found
    if (found.dir === dir) return { mode, rules }
    return { mode: null, rules: rules.filter(({ effect }) => effect !== 'allow') }
  }

  const lost = file.lost()
  return {
    lost:
      lost && `What agents may do unasked could not be read, so everything is asked about. ${lost}`,
    of,
    async change(scope, dir, change) {
      await file.change((now) => {
        const settings = change(of(scope, dir))
        return scope.kind === 'everywhere'
          ? { ...now, everywhere: settings }
          : { ...now, projects: { ...now.projects, [scope.projectId]: { ...settings, dir } } }
      })
      return of(scope, dir)
    },
  }
}
