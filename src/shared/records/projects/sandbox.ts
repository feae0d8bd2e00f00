/** Sandboxing of agents' commands: a project's setting, and the sandbox of a run. See docs/PERMISSIONS.md. */
import { z } from 'zod'

/** `writes`: writes only in the working directory and temporary folders. `writes-and-network`: also no network. */
export const sandboxSettingSchema = z.enum(['off', 'writes', 'writes-and-network'])
export type SandboxSetting = z.infer<typeof sandboxSettingSchema>

/** The program for sandboxes on this system; `why`: why there is none, null if there is one. */
export const sandboxSupportSchema = z.object({
  program: z.enum(['bubblewrap', 'seatbelt']).nullable(),
  why: z.string().nullable(),
})
export type SandboxSupport = z.infer<typeof sandboxSupportSchema>

/** The sandbox of a run. */
export const runSandboxSchema = sandboxSupportSchema.extend({ setting: sandboxSettingSchema })
export type RunSandbox = z.infer<typeof runSandboxSchema>

export const sandboxLabels: Record<SandboxSetting, string> = {
  off: 'Commands run without a sandbox',
  writes: 'Commands may write only in the worktree and temporary folders',
  'writes-and-network':
    'Commands may write only in the worktree and temporary folders, and have no network',
}

/** Describes the sandbox of a command that is about to run. */
export function sandboxText({ setting, program, why }: RunSandbox): string {
  if (setting === 'off') return 'No sandbox'
  if (program === null) return `No sandbox: ${why}`
  const network = setting === 'writes-and-network' ? ', no network' : ''
  return `Runs in a sandbox: writes only in the working directory and temporary folders${network}`
}

/** Describes the sandbox of a run in one line, or why the requested one is missing. */
export function formatRunSandbox({ setting, program, why }: RunSandbox): string {
  if (setting === 'off') return sandboxLabels.off
  return program === null
    ? `${sandboxLabels.off}: ${why}`
    : `${sandboxLabels[setting]} (${program})`
}
