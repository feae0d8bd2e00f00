const linkLengthMax = 2_048

/** Whether a link may be given to the system, which would start whatever program its scheme names. */
export function isExternalLink(link: string): boolean {
  if (link.length > linkLengthMax || !URL.canParse(link)) return false
  const { protocol, username, password } = new URL(link)
  // A name and password in a link are there to make it look like a link to somewhere else.
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}
