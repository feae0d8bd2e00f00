import { type KeyboardEvent, useState } from 'react'

/**
 * ArrowUp at the beginning of the text and ArrowDown at its end step through the history, as in a
 * shell.
 */
export function useRecall(props: {
  draft: string
  history?: readonly string[]
  onDraftChange(draft: string): void
}) {
  const { draft, history = [], onDraftChange } = props
  /** The shown history entry, and the text typed before. */
  const [recalled, setRecalled] = useState<{ index: number; typed: string } | null>(null)
  /** An edited history entry counts as new text. */
  const current = recalled && history[recalled.index] === draft ? recalled : null
  const show = (index: number, typed: string) => {
    setRecalled(index < 0 ? null : { index, typed })
    onDraftChange(history[index] ?? typed)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const { selectionStart, selectionEnd } = event.currentTarget
    if (selectionStart !== selectionEnd || event.shiftKey || event.ctrlKey || event.metaKey)
      return false
    const next = (current?.index ?? -1) + (event.key === 'ArrowUp' ? 1 : -1)
    const isOlder = event.key === 'ArrowUp' && selectionStart === 0 && next < history.length
    const isNewer = event.key === 'ArrowDown' && current !== null && selectionStart === draft.length
    if (!isOlder && !isNewer) return false
    event.preventDefault()
    show(next, current?.typed ?? draft)
    // ArrowUp continues to older entries, ArrowDown to newer ones.
    const field = event.currentTarget
    queueMicrotask(() => {
      const at = isOlder ? 0 : field.value.length
      field.setSelectionRange(at, at)
    })
    return true
  }
  return { onKeyDown, end: () => setRecalled(null) }
}
