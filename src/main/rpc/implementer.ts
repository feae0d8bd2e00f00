/** The contract implementer with the middleware of all calls: grant, call log and error mapping. */
import { implement } from '@orpc/server'
import type { AppInfo } from '../../shared/contract/app.ts'
import { type CallContext, grantFor } from '../../shared/contract/grants.ts'
import { contract } from '../../shared/contract/index.ts'
import type { Log } from '../log/log.ts'
import { createCallLog } from './call-log.ts'
import { toContractError } from './errors.ts'
import { refuseToDecide } from './refuse-to-decide.ts'

export function createImplementer({
  log,
  info,
}: {
  log: Pick<Log, 'warning' | 'error'>
  info: () => AppInfo
}) {
  const callLog = createCallLog(log)
  const implementer = implement(contract).$context<CallContext>()
  const shared = implementer.middleware(async ({ next, context, path }) => {
    const startedMs = performance.now()
    try {
      if (grantFor(path) === 'decide' && context.grant !== 'decide') refuseToDecide(info())
      return await next()
    } catch (error) {
      const answer = toContractError(error)
      callLog.failed(path, answer)
      throw answer
    } finally {
      callLog.ended(path, performance.now() - startedMs)
    }
  })
  const os = implementer.use(shared)
  /**
   * For answers folded from validated records: validating 100,000 tasks again took two fifths of the processor time of
   * sending them.
   */
  const unvalidated = implementer.$config({ initialOutputValidationIndex: Number.NaN }).use(shared)

  /** Maps errors of a running feed, which bypass the middleware of its call. */
  async function* withContractErrors<Event>(
    name: string,
    feed: AsyncGenerator<Event>,
  ): AsyncGenerator<Event> {
    try {
      yield* feed
    } catch (error) {
      const answer = toContractError(error)
      callLog.failed(['feed', name], answer)
      throw answer
    }
  }
  return { os, unvalidated, withContractErrors }
}
