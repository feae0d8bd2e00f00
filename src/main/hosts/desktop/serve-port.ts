import type { RPCHandler } from '@orpc/server/websocket'
import type { MessagePortMain } from 'electron'
import type { CallContext } from '../../../shared/contract/grants.ts'

export type ServedPort = Pick<MessagePortMain, 'on' | 'postMessage' | 'start'>

/**
 * Serves one port until it closes; pending calls are then aborted.
 *
 * Uses ORPC's handler for WebSockets, which takes single messages and rejects when one can't be handled. Its handler
 * for MessagePorts has the same protocol but leaves such rejections unhandled, and an invalid message must not end
 * the process in which all agents run.
 */
export function servePort(
  port: ServedPort,
  handler: Pick<RPCHandler<CallContext>, 'message' | 'close'>,
): void {
  const peer = {
    addEventListener() {}, // the events are given to the handler below
    send: (data: unknown) => port.postMessage(data),
  }
  port.on('message', ({ data }) => {
    handler.message(peer, data, { context: { grant: 'decide' } }).catch((error: unknown) => {
      console.error('A message from a window could not be handled:', error)
    })
  })
  port.on('close', () => handler.close(peer))
  port.start()
}
