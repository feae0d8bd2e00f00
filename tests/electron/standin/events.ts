import { EventEmitter } from 'node:events'

interface PreventableEvent {
  readonly defaultPrevented: boolean
  preventDefault(): void
}

/** `params`: what Electron puts on the event object itself. */
export function createEvent<Params extends object>(params: Params): Params & PreventableEvent {
  let prevented = false
  return Object.defineProperties(params, {
    defaultPrevented: { get: () => prevented },
    preventDefault: {
      value: () => {
        prevented = true
      },
    },
  }) as Params & PreventableEvent
}

/** Emits an event that a listener may prevent; true: nobody did. */
export function emitPreventable(
  emitter: EventEmitter,
  name: string,
  params: object = {},
  ...rest: unknown[]
): boolean {
  const event = createEvent(params)
  emitter.emit(name, event, ...rest)
  return !event.defaultPrevented
}

export { EventEmitter }
