/** The handlers of logs that are opened without being imported. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const openedHandlers = (
  { os, withContractErrors }: Calls,
  { opened }: RouterDependencies,
) => ({
  open: os.opened.open.handler(({ input, signal }) =>
    withContractErrors('open', opened.open(input, signal)),
  ),
  get: os.opened.get.handler(({ input }) => ({ log: opened.get(input.id) })),
  call: os.opened.call.handler(({ input, signal, lastEventId }) =>
    opened.call(input.id, { path: input.path, input: input.input, signal, lastEventId }),
  ),
  upload: os.opened.upload.handler(async ({ input }) => {
    await opened.upload(input)
    return {}
  }),
  close: os.opened.close.handler(async ({ input }) => {
    await opened.close(input.id)
    return {}
  }),
})
