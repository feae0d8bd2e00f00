import type { RPCHandler } from '@orpc/server/websocket'
import type { MessagePortMain } from 'electron'
import type { CallContext } from '../../../shared/contract/grants.ts'

export type ServedPort = Pick<MessagePortMain, 'on' | 'postMessage' | 'start'>

/**
 * Serves one port until it closes; the calls that are then still going on are aborted.
 *
 * ORPC's handler for WebSockets takes messages one by one and says when one could not be handled; its
 * handler for MessagePorts speaks the same words but leaves such rejections to nobody, and a message
 * that is no call must not end the process that all agents run in.
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
