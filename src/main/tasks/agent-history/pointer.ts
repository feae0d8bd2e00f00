/** `current-agent-id.txt`: the agent that runs now. Pure; see FORMAT.md. */

type PointerChange = { kind: 'none' } | { kind: 'write'; text: string } | { kind: 'remove' }

/**
 * Returns how the pointer file has to change. `text` is its present content, null if there is no file; `current` is the
 * running agent that was started last, null if none runs. A file that refers to no agent of Shiplog is never deleted
 * (R3); `foreign` is its content.
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
