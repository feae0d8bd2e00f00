/** The message for a user when the app can't start. Exit codes are those of the command line (CLI.md). */
import { messageOf } from '../../../shared/error-message.ts'
import { FailureError } from '../../../shared/failure.ts'

interface FailedStart {
  title: string
  message: string
  exitCode: number
}

export function failedStartOf(error: unknown): FailedStart {
  const message = messageOf(error)
  if (error instanceof FailureError) {
    return { title: 'Shiplog could not start', message: sentence(message), exitCode: 2 }
  }
  const kind = error instanceof Error && 'kind' in error ? error.kind : undefined
  switch (kind) {
    case 'lease-held':
    case 'runs-elsewhere':
      return { title: 'Shiplog is already running', message: sentence(message), exitCode: 6 }
    case 'lease-lost':
      return { title: 'Shiplog was displaced', message: sentence(message), exitCode: 6 }
    case 'data-dir':
      return { title: 'Shiplog can’t use its data folder', message: sentence(message), exitCode: 2 }
    default:
      return {
        title: 'Shiplog could not start',
        message: error instanceof Error ? (error.stack ?? message) : message,
        exitCode: 1,
      }
  }
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
