/**
 * Routes as URL fragments. Every screen has an address, so that back, reload, a copied link and
 * `shiplog://t/<id>` all share this code. Pure, but for `linkTo`.
 */
import {
  filterKinds,
  type TranscriptFilter,
} from '../../../shared/projections/transcript/filter-units.ts'
import type { ProjectId, TaskId } from '../../../shared/records/ids.ts'

/** The part of an address that belongs to the transcript it opens. */
interface TranscriptPlace {
  /** The entry that it is opened at; absent: where it usually opens (V3). */
  seq?: number
  /** Shows the transcript's state at that moment. */
  replay?: true
  /** The initial query of its find bar. */
  find?: string
  /** Absent: everything is shown, without the bar of filters. */
  filter?: TranscriptFilter
}

/** Ids are kept as text, because a link may hold a unique prefix, which is looked up when shown. */
export type Route =
  | { screen: 'home' }
  | { screen: 'project'; projectId: string }
  | ({ screen: 'task'; taskId: string; transcriptOf: string | null } & TranscriptPlace)
  | ({ screen: 'archive'; taskId: string | null; tab: 'report' | 'transcript' } & TranscriptPlace)
  | { screen: 'trash' }
  /** The changes of an agent, at one file. */
  | { screen: 'review'; taskId: string; path: string | null }
  /** A transcript alone in the window. */
  | ({ screen: 'transcript'; taskId: string } & TranscriptPlace)
  | { screen: 'search'; query: string }
  /** `section`: the one to show; null for the top. */
  | { screen: 'settings'; section: string | null }
  /** A log that is open without being imported: one that is open, or one to open. */
  | { screen: 'opened'; id: string | null; path: string | null }
  /** An address that leads nowhere. */
  | { screen: 'unknown'; address: string }

/** A screen that shows a transcript, at an entry or at a moment of its replay. */
export type TranscriptRoute = Extract<Route, { screen: 'task' | 'archive' | 'transcript' }>

export const homeRoute: Route = { screen: 'home' }
export const trashRoute: Route = { screen: 'trash' }
export const searchRoute: Route = { screen: 'search', query: '' }

/** Which keys are active: those of a transcript that covers a conversation, or those of the window. */
export const scopeOf = (route: Route): 'window' | 'dialog' =>
  route.screen === 'task' && route.transcriptOf !== null ? 'dialog' : 'window'

/**
 * Parses `hash` (`#/t/<id>`, with or without `#`, or a `shiplog://` link); returns home for an address
 * without a screen.
 */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#|^shiplog:\/\//, '').split('?')
  const parameters = new URLSearchParams(search)
  const at = placeIn(parameters)
  const [screen, id, third, fourth] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  switch (screen) {
    case 'p':
      return id ? { screen: 'project', projectId: id } : homeRoute
    case 't':
    case 'task':
      if (!id) return homeRoute
      if (third === 'review') return { screen: 'review', taskId: id, path: parameters.get('file') }
      return {
        screen: 'task',
        taskId: id,
        transcriptOf: third === 'transcript' && fourth ? fourth : null,
        ...at,
      }
    case 'archive':
      return {
        screen: 'archive',
        taskId: id ?? null,
        tab: third === 'transcript' ? 'transcript' : 'report',
        ...at,
      }
    case 'trash':
      return { screen: 'trash' }
    case 'transcript':
      return id ? { screen: 'transcript', taskId: id, ...at } : homeRoute
    case 'search':
      return { screen: 'search', query: parameters.get('q') ?? '' }
    case 'settings':
      return { screen: 'settings', section: id ?? null }
    case 'opened':
      return { screen: 'opened', id: id ?? null, path: id ? null : parameters.get('path') }
    case undefined:
      return homeRoute
    default:
      return { screen: 'unknown', address: path.replace(/^\/+/, '') }
  }
}

function placeIn(parameters: URLSearchParams): TranscriptPlace {
  const seq = parameters.get('seq') ?? ''
  const find = parameters.get('find') ?? ''
  const show = parameters.get('show')
  const kind = filterKinds.find((one) => one === show) ?? null
  const tool = parameters.get('tool') || null
  const file = parameters.get('file') || null
  const isFiltered = kind !== null || show === 'all' || tool !== null || file !== null
  return {
    ...(/^[1-9]\d{0,14}$/.test(seq) ? { seq: Number(seq) } : {}),
    ...(parameters.has('replay') && { replay: true as const }),
    ...(find === '' ? {} : { find }),
    ...(isFiltered ? { filter: { kind, tool, file } } : {}),
  }
}

/** The inverse of `parseRoute`. */
export function formatRoute(route: Route): string {
  switch (route.screen) {
    case 'home':
      return '#/'
    case 'project':
      return `#/p/${encodeURIComponent(route.projectId)}`
    case 'task': {
      const base = `#/t/${encodeURIComponent(route.taskId)}`
      const shown = route.transcriptOf
        ? `${base}/transcript/${encodeURIComponent(route.transcriptOf)}`
        : base
      return shown + formatPlace(route)
    }
    case 'archive':
      return route.taskId
        ? `#/archive/${encodeURIComponent(route.taskId)}/${route.tab}${formatPlace(route)}`
        : '#/archive'
    case 'trash':
      return '#/trash'
    case 'review': {
      const base = `#/t/${encodeURIComponent(route.taskId)}/review`
      return route.path === null ? base : `${base}?${new URLSearchParams({ file: route.path })}`
    }
    case 'transcript':
      return `#/transcript/${encodeURIComponent(route.taskId)}${formatPlace(route)}`
    case 'search':
      return route.query === '' ? '#/search' : `#/search?${new URLSearchParams({ q: route.query })}`
    case 'settings':
      return route.section === null ? '#/settings' : `#/settings/${route.section}`
    case 'unknown':
      return `#/${route.address}`
    case 'opened':
      if (route.id !== null) return `#/opened/${encodeURIComponent(route.id)}`
      return `#/opened?${new URLSearchParams(route.path === null ? {} : { path: route.path })}`
  }
}

function formatPlace({ seq, replay, find, filter }: TranscriptPlace): string {
  const parameters = new URLSearchParams()
  if (seq !== undefined) parameters.set('seq', String(seq))
  if (find) parameters.set('find', find)
  if (filter) {
    const { kind, tool, file } = filter
    if (kind !== null || (tool === null && file === null)) parameters.set('show', kind ?? 'all')
    if (tool !== null) parameters.set('tool', tool)
    if (file !== null) parameters.set('file', file)
  }
  const parts = [
    ...(parameters.size === 0 ? [] : [parameters.toString()]),
    ...(replay ? ['replay'] : []),
  ]
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** Returns an absolute link: with the desktop app's own scheme, else at the page's address. */
export const linkTo = (route: Route): string => {
  const hash = formatRoute(route)
  return /^https?:$/.test(location.protocol)
    ? `${location.origin}${location.pathname}${hash}`
    : `shiplog://${hash.slice('#/'.length)}`
}

export const taskRoute = (taskId: TaskId): Extract<Route, { screen: 'task' }> => ({
  screen: 'task',
  taskId,
  transcriptOf: null,
})
/** A transcript alone in the window, at an entry. */
export const fullScreenRoute = (
  taskId: TaskId,
  seq?: number,
): Extract<Route, { screen: 'transcript' }> => ({
  screen: 'transcript',
  taskId,
  ...(seq === undefined ? {} : { seq }),
})
export const projectRoute = (projectId: ProjectId): Route => ({ screen: 'project', projectId })

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
