/** `current-agent-id.txt`: the agent that runs now. Pure; see FORMAT.md. */

type PointerChange = { kind: 'none' } | { kind: 'write'; text: string } | { kind: 'remove' }

/**
 * The new content of the pointer. `text`: the present content, null when there is none. `current`: the running agent
 * that was started last. Without one, only a pointer to an agent of Shiplog's is deleted (R3). `stranger`: the
 * content when it is not Shiplog's.
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
