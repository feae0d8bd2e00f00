/** The read-only procedures of the contract, which may be called on an opened log. */
const readingCalls: Readonly<Record<string, readonly string[] | 'all'>> = {
  app: ['info'],
  projects: ['list'],
  tasks: ['list', 'report', 'changedFileDiff'],
  transcripts: 'all',
  turnFiles: 'all',
  search: 'all',
  feed: ['ledger', 'permissions', 'session', 'sessions'],
  exports: ['preview', 'read'],
  imports: ['details'],
  checks: ['list'],
  review: ['authors'],
  permissions: ['list'],
  workspace: ['getSubagentTranscript', 'readOutput', 'listTranscripts', 'treeChanges'],
}

export function isReading([group = '', name = '', ...more]: readonly string[]): boolean {
  const calls = Object.hasOwn(readingCalls, group) ? readingCalls[group] : undefined
  return more.length === 0 && (calls === 'all' || calls?.includes(name) === true)
}
