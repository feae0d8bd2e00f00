/**
 * Presses the button for `action` of the focused task, or of the row's. Returns false if there is
 * none.
 */
export function press(
  target: HTMLElement,
  row: HTMLElement | null,
  action: 'transcript' | 'resume' | 'show' | 'menu',
) {
  const of = target.closest<HTMLElement>('[data-task]') ?? row
  const button = of?.querySelector<HTMLElement>(`[data-action="${action}"]:not(:disabled)`)
  button?.click()
  return button !== undefined && button !== null
}

/** Whether keys are text there. */
export const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
