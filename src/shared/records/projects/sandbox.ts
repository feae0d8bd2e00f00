/** Sandboxing of agents' commands: what a person sets for a project, and what is in force. See docs/PERMISSIONS.md. */
import { z } from 'zod'

/** `writes`: only in the working directory and temporary folders. `writes-and-network`: and without network. */
export const sandboxSettingSchema = z.enum(['off', 'writes', 'writes-and-network'])
export type SandboxSetting = z.infer<typeof sandboxSettingSchema>

/** What makes sandboxes on this system; `why` there is none, null where there is one. */
export const sandboxSupportSchema = z.object({
  program: z.enum(['bubblewrap', 'seatbelt']).nullable(),
  why: z.string().nullable(),
})
export type SandboxSupport = z.infer<typeof sandboxSupportSchema>

/** What was in force in a run. */
export const runSandboxSchema = sandboxSupportSchema.extend({ setting: sandboxSettingSchema })
export type RunSandbox = z.infer<typeof runSandboxSchema>

export const sandboxLabels: Record<SandboxSetting, string> = {
  off: 'Commands run without a sandbox',
  writes: 'Commands may write only in the worktree and temporary folders',
  'writes-and-network':
    'Commands may write only in the worktree and temporary folders, and have no network',
}

/** Beside what is about to run: which sandbox there is. */
export function sandboxText({ setting, program, why }: RunSandbox): string {
  if (setting === 'off') return 'No sandbox'
  if (program === null) return `No sandbox: ${why}`
  const network = setting === 'writes-and-network' ? ', no network' : ''
  return `Runs in a sandbox: writes only in the working directory and temporary folders${network}`
}

/** One line about a run: what its commands may do, or why the sandbox that was set is missing. */
export function formatRunSandbox({ setting, program, why }: RunSandbox): string {
  if (setting === 'off') return sandboxLabels.off
  return program === null
    ? `${sandboxLabels.off}: ${why}`
    : `${sandboxLabels[setting]} (${program})`
}
