// A thread that answers with what Node has loaded in it.
import { type MessagePort, workerData } from 'node:worker_threads'
import { os } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { rpcPort } from '../../src/main/threads/rpc-port.ts'
import '../../src/main/threads/without-form-data.ts'

const router = {
  loaded: os.handler(() => {
    const { moduleLoadList } = process as unknown as { moduleLoadList: string[] }
    return moduleLoadList
  }),
}
export type AnsweringRouter = typeof router

const { port } = workerData as { port: MessagePort }
new RPCHandler(router).upgrade(rpcPort(port))
port.start()
