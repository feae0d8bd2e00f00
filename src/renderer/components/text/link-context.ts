import { createContext } from 'react'

/** What opens an address: the desktop shows it in the browser, the web host in a new tab. */
type OpenLink = (url: string) => void

export const OpenLinkContext = createContext<OpenLink>((url) => {
  window.open(url, '_blank', 'noopener,noreferrer')
})
