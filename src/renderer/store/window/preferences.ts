/** This browser's or window's view settings. They never hold data of the record. */
import { z } from 'zod'
import { createStore, type StoreApi } from 'zustand/vanilla'

export const sidebarWidthMin = 200
export const sidebarWidthMax = 480
export const inspectorWidthMin = 280
export const inspectorWidthMax = 1200

const preferencesSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  sidebarWidth: z.number().min(sidebarWidthMin).max(sidebarWidthMax).catch(264),
  inspectorWidth: z.number().min(inspectorWidthMin).max(inspectorWidthMax).catch(380),
  inspectorOpen: z.boolean().catch(false),
  /** The outline beside a transcript. */
  outlineOpen: z.boolean().catch(false),
  /** The outline beside a conversation. */
  conversationOutlineOpen: z.boolean().catch(false),
  /** The report beside its transcript. */
  reportOpen: z.boolean().catch(false),
  inspectorTab: z.enum(['changes', 'state']).catch('changes'),
  /** Folded rows of the sidebar: ids of projects and tasks. */
  folded: z.array(z.string()).catch([]),
  /** Rows that would be folded because they were read, and that the user opened: ids of tasks. */
  opened: z.array(z.string()).catch([]),
  /** Opened trees of the Interrupted section: ids of roots. */
  openedInterrupted: z.array(z.string()).catch([]),
  /** By root: the end of its last viewed run, ISO 8601. */
  seen: z.record(z.string(), z.string()).catch({}),
  /** Runs that ended before count as seen: when this browser or window was first used, ISO 8601. */
  seenSince: z.string().nullable().catch(null),
  /** The filter of the sidebar's tree. */
  agentFilter: z.enum(['all', 'needs-you', 'at-work', 'interrupted', 'finished']).catch('all'),
  /** The sort order of the archive. */
  archiveSort: z
    .enum([
      'tree',
      'ended',
      'started',
      'title',
      'agent',
      'model',
      'status',
      'runs',
      'entries',
      'size',
      'cost',
      'project',
    ])
    .catch('tree'),
  archiveReversed: z.boolean().catch(false),
  /** The filter of the archive. */
  archiveShow: z.enum(['archived', 'live', 'pinned', 'expiring', 'all']).catch('archived'),
  /** How the changes of a review are shown. */
  reviewLayout: z.enum(['unified', 'split']).catch('unified'),
  reviewIgnoresSpace: z.boolean().catch(false),
  reviewWholeFile: z.boolean().catch(false),
  /** Searches that led to a hit, the newest first. */
  recentSearches: z.array(z.string()).catch([]),
  /** Saved searches, in alphabetical order. */
  savedSearches: z.array(z.string()).catch([]),
  /** Notifies when a root ends while the window is in the background, if the browser allows it. */
  notifications: z.boolean().catch(true),
  /** Notifies when an agent waits for the user. */
  notifyNeeds: z.boolean().catch(true),
  /** The user declined to import sessions of other tools, so an empty app does not offer it again. */
  importDeclined: z.boolean().catch(false),
  /** Ids of dismissed notices. */
  dismissedNotices: z.array(z.string()).catch([]),
  /**
   * The key that sends a prompt below a conversation; the other one begins a new line, and
   * Mod+Enter always sends.
   */
  sendKey: z.enum(['Mod+Enter', 'Enter']).catch('Mod+Enter'),
  /** Whether single characters, such as `n`, run commands of the window. */
  characterKeys: z.boolean().catch(true),
  /** The last choices of the New agent dialog. */
  isolation: z.enum(['worktree', 'in-place']).catch('worktree'),
  /** `model`, `scripted` or an installed agent by its id; null: none was started yet. */
  agent: z.string().nullable().catch(null),
  /** The mode and options that each installed agent was last started with, by its id. */
  agentSettings: z
    .record(
      z.string(),
      z.object({
        mode: z.string().nullable(),
        options: z.record(z.string(), z.union([z.string(), z.boolean()])),
      }),
    )
    .catch({}),
  /** `PROVIDER/MODEL` of the last started agent. */
  model: z.string().nullable().catch(null),
})
export type Preferences = z.infer<typeof preferencesSchema>

const storageKey = 'shiplog.preferences'
/** The oldest folded rows, dismissed notices and seen roots are dropped. */
const rememberedIdsMax = 500

export type PreferencesStore = StoreApi<Preferences>

/** Reads the stored settings; unusable values count as not set. Each change is stored at once. */
export function createPreferences(storage: Pick<Storage, 'getItem' | 'setItem'>): PreferencesStore {
  const store = createStore<Preferences>(() => preferencesSchema.parse(read(storage)))
  store.subscribe((preferences) => {
    try {
      storage.setItem(storageKey, JSON.stringify(bounded(preferences)))
    } catch {
      // Storage is full or disabled: the settings are kept until the window is closed.
    }
  })
  return store
}

/** Covers the searches of one day. */
const recentSearchesMax = 12

/** Returns the recent searches with `query` as the newest. */
export const withRecentSearch = (recent: string[], query: string): string[] =>
  query === ''
    ? recent
    : [query, ...recent.filter((one) => one !== query)].slice(0, recentSearchesMax)

/** Returns the list with `id` added, or removed if present. */
export const toggled = (ids: string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]

function read(storage: Pick<Storage, 'getItem'>): unknown {
  try {
    const value: unknown = JSON.parse(storage.getItem(storageKey) ?? '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}

const bounded = (preferences: Preferences): Preferences => ({
  ...preferences,
  folded: preferences.folded.slice(-rememberedIdsMax),
  opened: preferences.opened.slice(-rememberedIdsMax),
  openedInterrupted: preferences.openedInterrupted.slice(-rememberedIdsMax),
  seen: Object.fromEntries(Object.entries(preferences.seen).slice(-rememberedIdsMax)),
  dismissedNotices: preferences.dismissedNotices.slice(-rememberedIdsMax),
})
