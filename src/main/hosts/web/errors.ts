type WebHostErrorKind = 'port-in-use' | 'port-not-permitted' | 'address-not-available' | 'not-built'

/** Why the web host can't start. The message contains the remedy. */
export class WebHostError extends Error {
  readonly kind: WebHostErrorKind
  readonly port: number

  constructor(kind: WebHostErrorKind, port: number, message: string) {
    super(message)
    this.name = 'WebHostError'
    this.kind = kind
    this.port = port
  }
}

/** Names a `listen` that failed for a reason the user can do something about; others pass through. */
export function listenError(error: NodeJS.ErrnoException, address: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new WebHostError(
        'port-in-use',
        port,
        `Port ${port} of ${address} is in use by another program. ` +
          'Choose another with --port, or leave --port out to have a free one picked.',
      )
    case 'EACCES':
      return new WebHostError(
        'port-not-permitted',
        port,
        `You are not permitted to listen on port ${port}. Choose one above 1023 with --port.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new WebHostError(
        'address-not-available',
        port,
        `${address} is not an address of this machine. Leave --host out to listen on 127.0.0.1.`,
      )
    default:
      return error
  }
}
