import type { CommandShell } from '../../../../shared/agents/permissions.ts'

/** Returns how the Bash of this path reads commands: macOS brings version 3.2. Which one `bash` is depends on the PATH. */
export const bashAt = (path: string, platform: NodeJS.Platform = process.platform): CommandShell =>
  platform === 'darwin' && (path === '/bin/bash' || path === 'bash') ? 'old-bash' : 'bash'
