/** `current-agent-id.txt`: which agent is at work. Pure; see FORMAT.md. */

type PointerChange = { kind: 'none' } | { kind: 'write'; text: string } | { kind: 'remove' }

/**
 * What becomes of the pointer. `text`: what it holds, null when there is none. `current`: the agent that
 * was started last of those that run. Without one only a pointer to an agent of ours goes (R3).
 * `stranger`: what it holds when that is nothing of ours.
 */
export function nextPointer(
  text: string | null,
  current: string | null,
  isOurs: (id: string) => boolean,
): { change: PointerChange; stranger: string | null } {
  const named = text?.replace(/^\uFEFF/, '').trim() ?? ''
  const stranger = named === '' || isOurs(named) ? null : named
  if (current !== null) {
    const change: PointerChange =
      named === current ? { kind: 'none' } : { kind: 'write', text: `${current}\n` }
    return { change, stranger }
  }
  return { change: named !== '' && !stranger ? { kind: 'remove' } : { kind: 'none' }, stranger }
}
