/** `current-agent-id.txt`: the agent that runs now. Pure; see FORMAT.md. */

type PointerChange = { kind: 'none' } | { kind: 'write'; text: string } | { kind: 'remove' }

/**
 * The new content of the pointer. `text`: the present content, null when there is none. `current`: the running agent
 * that was started last. Without one, only a pointer to an agent of Shiplog is deleted (R3). `foreign`: the
 * content if it does not name one.
 */
export function nextPointer(
  text: string | null,
  current: string | null,
  isOurs: (id: string) => boolean,
): { change: PointerChange; foreign: string | null } {
  const named = text?.replace(/^\uFEFF/, '').trim() ?? ''
  const foreign = named === '' || isOurs(named) ? null : named
  if (current !== null) {
    const change: PointerChange =
      named === current ? { kind: 'none' } : { kind: 'write', text: `${current}\n` }
    return { change, foreign }
  }
  return { change: named !== '' && !foreign ? { kind: 'remove' } : { kind: 'none' }, foreign }
}
