/**
 * Calls every listener, in order of subscription. An error of a listener is passed to `onError` and stops neither the
 * other listeners nor the caller, because the event has already happened.
 */
export function publishTo<Event>(
  listeners: Iterable<(event: Event) => void>,
  event: Event,
  onError: (error: unknown) => void,
): void {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch (error) {
      onError(error)
    }
  }
}
