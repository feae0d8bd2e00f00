export interface SandboxLimits {
  /** Absolute real paths of files and folders. A later one inside an earlier one overrides it. */
  mounts: { path: string; writable: boolean }[]
  /** Absolute paths of existing files that commands can't read. */
  unreadable?: string[] | undefined
  /** False denies all network access, including loopback. */
  network: boolean
}
