/** Resolves a stored path: paths in the data directory are stored relative to it, so that it can be moved. */
export const absolutePath = (path: string, { dataDir }: { dataDir: string }): string =>
  /^(?:\/|\\|[A-Za-z]:)/.test(path) ? path : `${dataDir}/${path}`
