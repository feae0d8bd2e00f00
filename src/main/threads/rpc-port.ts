/** Ports between the threads of this process, as ORPC uses them. */
import type { MessagePort } from 'node:worker_threads'

/**
 * Receives messages as a Node emitter does. ORPC adds a DOM listener to a port that has them, for whose first event Node
 * loads its HTTP client: 20 ms of a thread's start.
 */
export const rpcPort = (port: MessagePort) => ({
  on: (event: string, callback: (event?: { data: unknown }) => void): void =>
    void port.on(event, (data) => callback({ data })),
  postMessage: (data: unknown): void => port.postMessage(data),
})
