/** Returns where a snippet begins if at most `lead` characters precede its match: after a space, if there is one. */
export function snippetStart(snippet: string, match: number, lead: number): number {
  if (match <= lead) return 0
  const space = snippet.indexOf(' ', match - lead)
  return space >= 0 && space < match ? space + 1 : match
}
