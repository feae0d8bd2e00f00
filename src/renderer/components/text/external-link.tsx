import { type ReactNode, useContext } from 'react'
import { OpenLinkContext } from './link-context.ts'

/** `url` has gone through `externalLink`. It is shown on hover, so that a link can't pretend. */
export function ExternalLink({ url, children }: { url: string; children: ReactNode }) {
  const openLink = useContext(OpenLinkContext)
  return (
    <a
      href={url}
      title={url}
      rel="noopener noreferrer"
      target="_blank"
      className="rounded-sm text-accent underline decoration-line-strong underline-offset-2 hover:decoration-current"
      onClick={(event) => {
        event.preventDefault()
        openLink(url)
      }}
      // The middle button would open it past `openLink`.
      onAuxClick={(event) => event.preventDefault()}
    >
      {children}
    </a>
  )
}
