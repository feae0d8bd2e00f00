/** What lies in the data directory is stored relative to it, so that it can be moved whole. */
export const absolutePath = (path: string, { dataDir }: { dataDir: string }): string =>
  /^(?:\/|\\|[A-Za-z]:)/.test(path) ? path : `${dataDir}/${path}`
