/**
 * The web host's token: it arrives in the printed URL's fragment, which no server is ever sent, and
 * leaves the visible URL at once, so that a screenshot or a copied address does not give it away.
 */

const tokenKey = 'shiplog.token'
const tokenFragment = /^#token=([^&]+)(?:&to=(.*))?$/

interface TokenPlaces {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'replaceState' | 'state'>
  sessionStorage: Pick<Storage, 'getItem' | 'setItem'>
}

/** Moves a token from the URL into the tab's session storage, and gives the one that is known; else null. */
export function takeToken({ location, history, sessionStorage }: TokenPlaces): string | null {
  const [, fresh, to] = tokenFragment.exec(location.hash) ?? []
  if (fresh === undefined) return read(sessionStorage)
  const token = decodeURIComponent(fresh)
  try {
    sessionStorage.setItem(tokenKey, token)
  } catch {
    // Storage is off: the token then lasts until the page is reloaded.
  }
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${to ?? '/'}`)
  return token
}

/**
 * A URL with a token that is pasted into an open tab changes its fragment alone: the page begins anew with
 * it, as it would in a tab of its own. It may have had no token before, or that of a host that is gone.
 */
export function reloadForToken(window: Pick<Window, 'addEventListener' | 'location'>): void {
  window.addEventListener('hashchange', () => {
    if (tokenFragment.test(window.location.hash)) window.location.reload()
  })
}

function read(storage: TokenPlaces['sessionStorage']): string | null {
  try {
    return storage.getItem(tokenKey)
  } catch {
    return null
  }
}
