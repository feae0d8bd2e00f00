/**
 * Who may call what (K7). What lease.json holds can be read by every agent that has a shell: it may start, list,
 * read and stop. What only a person decides needs the window's own token, which is on no disk.
 */
import type { contract } from './index.ts'

/** `decide` may do all that `act` may. */
export type Grant = 'act' | 'decide'

/** What a call comes with, beside its input. */
export interface CallContext {
  grant: Grant
}

/** The least grant that each procedure asks for. */
export const grants: GrantsOf<typeof contract> = {
  app: {
    info: 'act',
    sandbox: 'act',
    // Puts a question before the person.
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
    makePlanning: 'act',
    startDemo: 'act',
  },
  tasks: {
    start: 'act',
    prompt: 'act',
    startWaiting: 'act',
    withdrawPrompt: 'act',
    stop: 'act',
    wrapUp: 'act',
    compact: 'act',
    setBudget: 'decide',
    wake: 'act',
    cancelSleep: 'act',
    list: 'act',
    report: 'act',
    applyPatch: 'act',
    undoApply: 'act',
    changedFileDiff: 'act',
    rename: 'act',
    // How much an agent may do, and which model is paid for.
    setNextRun: 'decide',
    // An agent's commands link what they print as well.
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
    // A follow-up, which any command may send.
    comment: 'act',
    changeComment: 'act',
    removeComment: 'act',
    sendComments: 'act',
  },
  // Uses the person's network and accounts.
  publish: { state: 'decide', run: 'decide' },
  limits: { settings: 'act', setSettings: 'decide' },
  agents: {
    list: 'act',
    // Starts a program that the person has installed or set up, in an empty folder. With a prompt it is paid for.
    check: 'act',
    allowFetch: 'decide',
    configuration: 'act',
    allowConfiguration: 'decide',
    signIn: 'decide',
    saveOwn: 'decide',
    removeOwn: 'decide',
  },
  models: {
    providers: 'act',
    saveProvider: 'decide',
    removeProvider: 'decide',
    setDefaults: 'decide',
    list: 'act',
    // It is paid for.
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
    run: 'act',
    watch: 'act',
    watchState: 'act',
    setWatch: 'decide',
    details: 'act',
    reported: 'act',
  },
  // It reads what the person has on the disk, and keeps nothing.
  opened: { open: 'act', get: 'act', call: 'act', upload: 'act', close: 'act' },
  workspace: {
    getSubagentTranscript: 'act',
    readOutput: 'act',
    listTranscripts: 'act',
    list: 'act',
    // To the archive, and back.
    remove: 'act',
    restore: 'act',
    // To the trash, which empties itself.
    trash: 'decide',
    untrash: 'act',
    leftovers: 'act',
    diff: 'act',
    compareTarget: 'act',
    findFiles: 'act',
    openFolder: 'act',
  },
  retention: {
    trash: 'act',
    openTrash: 'act',
    restoreTrashed: 'act',
    deleteTrashed: 'decide',
    // To the trash, which empties itself.
    deleteTranscripts: 'decide',
    settings: 'act',
    setSettings: 'decide',
    preview: 'act',
    // Permanently deletes what has been in the trash long enough.
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

/** The grant that a procedure needs, by its path in the contract. Without a row, only the window may call it. */
export function grantFor(path: readonly string[]): Grant {
  const [group = '', name = ''] = path
  const rows: Record<string, Record<string, Grant>> = grants
  return rows[group]?.[name] ?? 'decide'
}
