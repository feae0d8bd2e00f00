/**
 * The web host's token: it arrives in the printed URL's fragment, which browsers never send, and
 * leaves the visible URL at once, so that a screenshot or a copied address does not give it away.
 */

const tokenKey = 'shiplog.token'
/** Where a page without a valid token was when it received one. */
const returnKey = 'shiplog.return-to'
const tokenFragment = /^#token=([^&]+)(?:&to=(.*))?$/

interface TokenPlaces {
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'replaceState' | 'state'>
  sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

/** Moves a token from the URL into the tab's session storage. Returns the stored token, or null if there is none. */
export function takeToken({ location, history, sessionStorage }: TokenPlaces): string | null {
  const [, newToken, to] = tokenFragment.exec(location.hash) ?? []
  if (newToken === undefined) return read(sessionStorage, tokenKey)
  const token = decodeURIComponent(newToken)
  keepToken(token, sessionStorage)
  const at = to ?? read(sessionStorage, returnKey) ?? '/'
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${at}`)
  forget(sessionStorage)
  return token
}

/** Returns the single-use code of a link with which the host opens the browser; null for other links. */
export function takeCode({ location, history, sessionStorage }: TokenPlaces): string | null {
  const [, code, place] = /^#code=([\w-]+)(?:&at=([^&]+))?$/.exec(location.hash) ?? []
  if (code === undefined) return null
  const at = place ? decodeURIComponent(place) : (read(sessionStorage, returnKey) ?? '/')
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${at}`)
  return code
}

/** Returns the token in pasted text, which is the printed link or the part after its `#`; null if there is none. */
export function tokenIn(pasted: string): string | null {
  const text = pasted.trim()
  return /#?token=([\w-]+)/.exec(text)?.[1] ?? /^[\w-]{43}$/.exec(text)?.[0] ?? null
}

/** Has the same effect as opening the link in this tab. */
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
      // Storage is off: the page opens at its start screen.
    }
    window.location.reload()
  })
}

function forget(storage: TokenPlaces['sessionStorage']): void {
  try {
    storage.removeItem(returnKey)
  } catch {
    // Storage is off.
  }
}

function read(storage: TokenPlaces['sessionStorage'], key: string): string | null {
  try {
    return storage.getItem(key)
  } catch {
    return null
  }
}
