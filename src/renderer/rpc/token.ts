/**
 * The web host's token: it arrives in the printed URL's fragment, which no server is ever sent, and
 * leaves the visible URL at once, so that a screenshot or a copied address does not give it away.
 */

const tokenKey = 'shiplog.token'
/** Where a page was that had no token, or an old one, when it was given another. */
const returnKey = 'shiplog.return-to'
const tokenFragment = /^#token=([^&]+)(?:&to=(.*))?$/

interface TokenPlaces {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'replaceState' | 'state'>
  sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

/** Moves a token from the URL into the tab's session storage, and gives the one that is known; else null. */
export function takeToken({ location, history, sessionStorage }: TokenPlaces): string | null {
  const [, fresh, to] = tokenFragment.exec(location.hash) ?? []
  if (fresh === undefined) return read(sessionStorage, tokenKey)
  const token = decodeURIComponent(fresh)
  keepToken(token, sessionStorage)
  const at = to ?? read(sessionStorage, returnKey) ?? '/'
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${at}`)
  forget(sessionStorage)
  return token
}

/** The code of a link that lets one page in, once: the host starts the browser with it. Null for other links. */
export function takeCode({ location, history, sessionStorage }: TokenPlaces): string | null {
  const [, code, place] = /^#code=([\w-]+)(?:&at=([^&]+))?$/.exec(location.hash) ?? []
  if (code === undefined) return null
  const at = place ? decodeURIComponent(place) : (read(sessionStorage, returnKey) ?? '/')
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${at}`)
  return code
}

/** The token in what a person pasted: the printed link, or only what is after its `#`; null when there is none. */
export function tokenIn(pasted: string): string | null {
  const text = pasted.trim()
  return /#?token=([\w-]+)/.exec(text)?.[1] ?? /^[\w-]{43}$/.exec(text)?.[0] ?? null
}

/** As if the link had been opened in this tab. */
export function openWithToken(token: string, location: Pick<Location, 'hash'>): void {
  location.hash = `token=${token}`
}

export function keepToken(token: string, storage: TokenPlaces['sessionStorage']): void {
  try {
    storage.setItem(tokenKey, token)
  } catch {
    // Storage is off: the token then lasts until the page is reloaded.
  }
}

/**
 * Pasting a URL with a token into an open tab only changes the fragment, so the page reloads itself, as a new tab
 * would load it. It may have had no token before, or that of a host that has ended. It then shows the screen that
 * it was opened for.
 */
export function reloadForToken(
  window: Pick<Window, 'addEventListener' | 'location' | 'sessionStorage'>,
): void {
  window.addEventListener('hashchange', ({ oldURL }) => {
    if (!tokenFragment.test(window.location.hash)) return
    const { hash } = new URL(oldURL)
    try {
      if (hash.startsWith('#/')) window.sessionStorage.setItem(returnKey, hash.slice(1))
    } catch {
      // Storage is off: it begins at the start.
    }
    window.location.reload()
  })
}

function forget(storage: TokenPlaces['sessionStorage']): void {
  try {
    storage.removeItem(returnKey)
  } catch {
    // As above.
  }
}

function read(storage: TokenPlaces['sessionStorage'], key: string): string | null {
  try {
    return storage.getItem(key)
  } catch {
    return null
  }
}
