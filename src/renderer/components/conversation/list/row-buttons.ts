const buttonKeys: Record<string, 'transcript' | 'resume' | 'show' | 'menu'> = {
  t: 'transcript',
  r: 'resume',
  s: 'show',
  m: 'menu',
}

/**
 * Presses the button of the focused task, or of `row`, that `key` stands for; Enter and Space fold or unfold a focused
 * row. Returns false if the key means nothing here.
 */
export function pressRowButton(
  key: string,
  focused: HTMLElement,
  row: HTMLElement | null,
): boolean {
  if ((key === 'Enter' || key === ' ') && focused === row) {
    row.querySelector<HTMLElement>('[aria-expanded]')?.click()
    return true
  }
  const action = buttonKeys[key]
  if (!action) return false
  const owner = focused.closest<HTMLElement>('[data-task]') ?? row
  const button = owner?.querySelector<HTMLElement>(`[data-action="${action}"]:not(:disabled)`)
  button?.click()
  return button !== undefined && button !== null
}

/** Whether the target is a text field, in which keys are text. */
export const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
