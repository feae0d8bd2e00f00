/**
 * All stores of the views, created once. The client is passed in, so that a story or a test can use
 * its own.
 */
import type { ShiplogClient } from '../../shared/contract/index.ts'
import { lastActionOf } from '../../shared/projections/transcript/last-action.ts'
import type { Connection } from '../rpc/connection.ts'
import { type AppInfoStore, createAppInfo } from './app-info.ts'
import { createQuestions, type QuestionStore } from './attention/questions.ts'
import { createImportRun, type ImportRun } from './imports/import-run.ts'
import { createLedgerStore, type LedgerStore } from './ledger-store.ts'
import { createOpenedLogs, type OpenedLogs } from './opened/opened-logs.ts'
import { type Attachments, createAttachments } from './prompt/attachments.ts'
import { createDrafts, type Drafts } from './prompt/drafts.ts'
import { createImageDrafts } from './prompt/image-drafts.ts'
import { type ChangeSummaries, createChangeSummaries } from './results/change-summaries.ts'
import { createPatchApplications, type PatchApplications } from './results/patch-applications.ts'
import { createReports, type Reports } from './results/reports.ts'
import { createTreeChangeCounts, type TreeChangeCounts } from './results/tree-changes.ts'
import { createLastActions, type LastActions } from './resume/last-actions.ts'
import { createResumes, type Resumes } from './resume/resumes.ts'
import { createViewedFiles, type ViewedFiles } from './review/viewed-files.ts'
import { createSearchStore, type SearchStore } from './search/search-store.ts'
import { createSessions, type Sessions } from './transcript/sessions.ts'
import { type Arrivals, createArrivals } from './window/arrival.ts'
import type { EarlyKeys } from './window/early-keys.ts'
import { createKeys, type Keys } from './window/keys.ts'
import { createNavigation, type Navigation } from './window/navigation.ts'
import { createOverlay, type OverlayStore } from './window/overlay.ts'
import { createPreferences, type Preferences, type PreferencesStore } from './window/preferences.ts'

export interface Stores {
  client: ShiplogClient
  connection: Connection
  ledger: LedgerStore
  questions: QuestionStore
  sessions: Sessions
  search: SearchStore
  imports: ImportRun
  opened: OpenedLogs
  reports: Reports
  applies: PatchApplications
  changeSummaries: ChangeSummaries
  treeChanges: TreeChangeCounts
  resumes: Resumes
  lastActions: LastActions
  appInfo: AppInfoStore
  navigation: Navigation
  preferences: PreferencesStore
  drafts: Drafts
  viewedFiles: ViewedFiles
  attachments: Attachments
  /** By root: the end of its last run that was viewed when the window opened. */
  seenAtStart: Preferences['seen']
  overlay: OverlayStore
  arrivals: Arrivals
  keys: Keys
  earlyKeys: EarlyKeys | null
  open(): void
  close(): void
}

interface StoresDeps {
  client: ShiplogClient
  connection: Connection
  window: Window
  /** The page's listener for early keys. */
  earlyKeys?: EarlyKeys
}

export function createStores({ client, connection, window, earlyKeys }: StoresDeps): Stores {
  const appInfo = createAppInfo({ client })
  const ledger = createLedgerStore({ client, onNotice: () => void appInfo.load() })
  const questions = createQuestions({ client })
  const sessions = createSessions({ client, ledger })
  const search = createSearchStore({ client })
  const navigation = createNavigation(window)
  const preferences = createPreferences(window.localStorage)
  const drafts = createDrafts(window.localStorage)
  const attachments = createAttachments(createImageDrafts(window.indexedDB))
  const keepDrafts = () => drafts.flush()
  if (preferences.getState().seenSince === null)
    preferences.setState({ seenSince: new Date().toISOString() })
  return {
    client,
    connection,
    ledger,
    questions,
    sessions,
    search,
    imports: createImportRun({ client }),
    opened: createOpenedLogs({ client }),
    reports: createReports({ client }),
    applies: createPatchApplications({ client }),
    changeSummaries: createChangeSummaries({ client }),
    treeChanges: createTreeChangeCounts({ client }),
    resumes: createResumes({ client }),
    lastActions: createLastActions({ client, describe: lastActionOf }),
    appInfo,
    navigation,
    preferences,
    drafts,
    viewedFiles: createViewedFiles(window.localStorage),
    attachments,
    seenAtStart: preferences.getState().seen,
    overlay: createOverlay(),
    arrivals: createArrivals(),
    keys: createKeys(),
    earlyKeys: earlyKeys ?? null,
    open() {
      ledger.open()
      questions.open()
      void appInfo.load()
      void attachments.load()
      window.addEventListener('pagehide', keepDrafts)
      // A restarted host may be another version, with other notices.
      connection.subscribe(({ kind }, before) => {
        if (kind === 'open' && before.kind === 'lost') void appInfo.load()
      })
    },
    close() {
      window.removeEventListener('pagehide', keepDrafts)
      drafts.flush()
      search.close()
      sessions.close()
      ledger.close()
      questions.close()
      navigation.close()
    },
  }
}
