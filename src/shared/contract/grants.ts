/**
 * The grant that each procedure requires (K7). Every agent with a shell can read the token in lease.json, which
 * grants to start, list, read and stop. Decisions of a user require the window's token, which is never on disk.
 */
import type { contract } from './index.ts'

/** `decide` includes `act`. */
export type Grant = 'act' | 'decide'

/** The context of a call, in addition to its input. */
export interface CallContext {
  grant: Grant
}

/** The minimum grant of each procedure. */
export const grants: GrantsOf<typeof contract> = {
  app: {
    info: 'act',
    sandbox: 'act',
    // Shows a dialog to the user.
    pickFolder: 'decide',
    openWindow: 'decide',
  },
  projects: {
    list: 'act',
    add: 'act',
    remove: 'decide',
    setup: 'act',
    trustSetup: 'decide',
    setEnvironment: 'decide',
    setSandbox: 'decide',
    planning: 'act',
    createPlanning: 'act',
    startDemo: 'act',
  },
  tasks: {
    start: 'act',
    prompt: 'act',
    startWaitingPrompt: 'act',
    withdrawPrompt: 'act',
    stop: 'act',
    wrapUp: 'act',
    compact: 'act',
    setBudget: 'decide',
    tryNow: 'act',
    wake: 'act',
    cancelSleep: 'act',
    list: 'act',
    report: 'act',
    applyPatch: 'act',
    undoApply: 'act',
    changedFileDiff: 'act',
    rename: 'act',
    // Sets what an agent may do, and which model is paid for.
    setNextRun: 'decide',
    // Pull requests that an agent's commands print are linked as well.
    linkPullRequest: 'act',
    planResume: 'act',
    resume: 'act',
    resumeEnded: 'act',
    restart: 'act',
    continueFrom: 'act',
    continuation: 'act',
    abandon: 'act',
    retry: 'act',
  },
  checks: { list: 'act' },
  review: {
    authors: 'act',
    // Comments become a follow-up, which any command may send.
    comment: 'act',
    changeComment: 'act',
    removeComment: 'act',
    sendComments: 'act',
  },
  // Uses the user's network and accounts.
  publish: { state: 'decide', run: 'decide' },
  limits: { settings: 'act', setSettings: 'decide' },
  agents: {
    list: 'act',
    // Starts a program that the user has installed or set up, in an empty folder. A prompt may cost money.
    check: 'act',
    allowFetch: 'decide',
    configuration: 'act',
    allowConfiguration: 'decide',
    signIn: 'decide',
    authenticate: 'decide',
    saveOwn: 'decide',
    removeOwn: 'decide',
  },
  models: {
    providers: 'act',
    saveProvider: 'decide',
    removeProvider: 'decide',
    setDefaults: 'decide',
    list: 'act',
    priced: 'act',
    // It may cost money.
    test: 'decide',
  },
  permissions: {
    list: 'act',
    answer: 'decide',
    settings: 'act',
    setSettings: 'decide',
  },
  transcripts: {
    page: 'act',
    outline: 'act',
    timeline: 'act',
    stateAt: 'act',
    value: 'act',
    find: 'act',
    filter: 'act',
    entries: 'act',
    image: 'act',
  },
  turnFiles: { folder: 'act', file: 'act', diff: 'act' },
  search: { find: 'act', state: 'act', tools: 'act', tasksUsing: 'act' },
  exports: { preview: 'act', read: 'act' },
  imports: {
    scan: 'act',
    sessions: 'act',
    run: 'act',
    watch: 'act',
    watchState: 'act',
    setWatch: 'decide',
    details: 'act',
    reported: 'act',
  },
  // Reads the user's files and stores nothing.
  opened: { open: 'act', get: 'act', call: 'act', upload: 'act', close: 'act' },
  workspace: {
    getSubagentTranscript: 'act',
    readOutput: 'act',
    listTranscripts: 'act',
    list: 'act',
    // Archives, and restores.
    remove: 'act',
    restore: 'act',
    // Items in the trash are deleted after some time.
    trash: 'decide',
    untrash: 'act',
    leftovers: 'act',
    diff: 'act',
    treeChanges: 'act',
    compareTarget: 'act',
    findFiles: 'act',
    openFolder: 'act',
  },
  retention: {
    trash: 'act',
    openTrash: 'act',
    restoreTrashed: 'act',
    deleteTrashed: 'decide',
    // Items in the trash are deleted after some time.
    deleteTranscripts: 'decide',
    settings: 'act',
    setSettings: 'decide',
    preview: 'act',
    // Permanently deletes items whose time in the trash is over.
    sweep: 'decide',
    receipts: 'act',
    receipt: 'act',
    undo: 'act',
    pin: 'decide',
  },
  doctor: { check: 'act' },
  feed: {
    ledger: 'act',
    permissions: 'act',
    session: 'act',
    sessions: 'act',
    resumePlan: 'act',
  },
}

type GrantsOf<Contract> = {
  [Name in keyof Contract]: Contract[Name] extends { '~orpc': unknown }
    ? Grant
    : GrantsOf<Contract[Name]>
}

/** Returns the grant for a procedure's path in the contract; `decide` for an unknown one. */
export function grantFor(path: readonly string[]): Grant {
  const [group = '', name = ''] = path
  const rows: Record<string, Record<string, Grant>> = grants
  return rows[group]?.[name] ?? 'decide'
}
