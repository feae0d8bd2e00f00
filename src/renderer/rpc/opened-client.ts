import { createORPCClient } from '@orpc/client'
import type { ShiplogClient } from '../../shared/contract/index.ts'

/** A client of the same contract for a log that is open without being imported: its calls go through `opened.call`. */
export const createOpenedClient = (client: Pick<ShiplogClient, 'opened'>, id: string) =>
  createORPCClient<ShiplogClient>({
    call: (path, input, { signal, lastEventId }) =>
      client.opened.call({ id, path: [...path], input }, { signal, lastEventId }),
  })
