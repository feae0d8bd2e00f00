/**
 * Calls every listener, in order of subscription. One that throws is reported and keeps neither the others
 * from being called nor the caller from continuing: what is published has already happened.
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
