/** The answers about logs that are opened: the one that `options.ts` was given shows this host's own tasks. */
import type { ShiplogClient } from '../../src/shared/contract/index.ts'
import { FailureError, invalid } from '../../src/shared/failure.ts'
import { type Implementer, withAnswers } from './implementer.ts'
import type { Memory } from './memory.ts'

export function openedAnswers(os: Implementer, { given }: Memory, client: () => ShiplogClient) {
  return {
    open: os.opened.open.handler(() => withAnswers(events())),
    get: os.opened.get.handler(() => ({ log: given.openedLog ?? null })),
    call: os.opened.call.handler(async ({ input: { id, path, input }, signal }) => {
      if (!given.openedLog) throw new FailureError({ kind: 'not-found', what: 'file', id })
      let called: unknown = client()
      for (const name of path) called = (called as Record<string, unknown>)[name]
      return (called as (input: unknown, options: object) => Promise<unknown>)(input, { signal })
    }),
    upload: os.opened.upload.handler(() => ({})),
    close: os.opened.close.handler(() => ({})),
  }

  async function* events() {
    const log = given.openedLog ?? invalid('path', 'notes.txt is not a readable log.')
    yield { type: 'progress' as const, bytes: 10, bytesTotal: 100 }
    yield { type: 'opened' as const, log }
  }
}
