/** The modes of permissions: what agents may do without asking (P1). */
import { z } from 'zod'

/** From the narrowest to the widest. */
const permissionModes = ['ask', 'allow-edits', 'allow-all'] as const
export const permissionModeSchema = z.enum(permissionModes)
export type PermissionMode = z.infer<typeof permissionModeSchema>

/** The mode that allows the least. */
export const narrowestMode = (...modes: [PermissionMode, ...PermissionMode[]]): PermissionMode =>
  permissionModes.find((mode) => modes.includes(mode)) ?? 'ask'

/** True: `mode` allows more than `limit`. */
export const isWiderMode = (mode: PermissionMode, limit: PermissionMode): boolean =>
  permissionModes.indexOf(mode) > permissionModes.indexOf(limit)
