import { createStore, type StoreApi } from 'zustand/vanilla'
import { formatRoute, parseRoute, type Route } from './route.ts'

/** Returns false to stay for now; `leave` goes there later. */
type LeaveGuard = (to: Route, leave: () => void) => boolean

export interface Navigation {
  route: StoreApi<Route>
  /** `replace` adds no entry to the browser's history. */
  go(route: Route, options?: { replace?: boolean }): void
  /** Asks `guard` before another route is shown, also by Back and a link. Returns the function that ends that. */
  guard(guard: LeaveGuard): () => void
  close(): void
}

/** Keeps the route and the URL's fragment in sync in both directions. */
export function createNavigation(window: Window): Navigation {
  const route = createStore<Route>(() => parseRoute(window.location.hash))
  let guard: LeaveGuard | null = null
  const mayGo = (to: Route): boolean => guard?.(to, () => go(to)) ?? true
  const onHashChange = (): void => {
    const to = parseRoute(window.location.hash)
    if (mayGo(to)) route.setState(to, true)
    else window.history.pushState(null, '', formatRoute(route.getState()))
  }
  window.addEventListener('hashchange', onHashChange)

  function go(to: Route, { replace = false } = {}): void {
    const hash = formatRoute(to)
    if (hash === formatRoute(route.getState()) || !mayGo(to)) return
    // The view changes at once; the address follows without a `hashchange` event.
    if (replace) window.history.replaceState(null, '', hash)
    else window.history.pushState(null, '', hash)
    route.setState(to, true)
  }

  return {
    route,
    go,
    guard(added) {
      guard = added
      return () => {
        if (guard === added) guard = null
      }
    },
    close: () => window.removeEventListener('hashchange', onHashChange),
  }
}
