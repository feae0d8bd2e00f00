/** `MessagePortMain`, and a channel of two of them. As in Electron nothing arrives before `start()`. */
import { EventEmitter } from './events.ts'

interface OtherEnd {
  post(data: unknown): void
  close(): void
}

export class MessagePortMain extends EventEmitter {
  readonly #other: OtherEnd
  #waiting: unknown[] | null = []
  #open = true

  constructor(other: OtherEnd) {
    super()
    this.#other = other
  }

  start(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const data of waiting) queueMicrotask(() => this.receive(data))
  }

  postMessage(message: unknown): void {
    if (this.#open) this.#other.post(structuredClone(message))
  }

  close(): void {
    if (!this.#open) return
    this.#other.close()
    this.otherEndClosed()
  }

  /** Called by the other end. */
  receive(data: unknown): void {
    if (!this.#open) return
    if (this.#waiting) this.#waiting.push(data)
    else this.emit('message', { data, ports: [] })
  }

  /** Called by the other end, or when the page that held it is gone. */
  otherEndClosed(): void {
    if (!this.#open) return
    this.#open = false
    queueMicrotask(() => this.emit('close'))
  }
}

export class MessageChannelMain {
  readonly port1: MessagePortMain
  readonly port2: MessagePortMain

  constructor() {
    const end = (other: () => MessagePortMain): OtherEnd => ({
      post: (data) => setImmediate(() => other().receive(data)),
      close: () => other().otherEndClosed(),
    })
    this.port1 = new MessagePortMain(end(() => this.port2))
    this.port2 = new MessagePortMain(end(() => this.port1))
  }
}
