/** The handlers of the feeds, which report changes until the caller cancels. */
import type { Calls } from '../calls.ts'
import { ledgerFeed } from '../ledger-feed.ts'
import { permissionsFeed } from '../permissions-feed.ts'
import type { RouterDependencies } from '../router-dependencies.ts'
import { sessionFeed } from '../session-feed.ts'
import { sessionsFeed } from '../sessions-feed.ts'

export const feedHandlers = (
  { os, unvalidated, withContractErrors, taskId }: Calls,
  { ledger, sessions, tasks, permissions, workspaces: { records } }: RouterDependencies,
) => ({
  sessions: os.feed.sessions.handler(({ signal }) =>
    withContractErrors('sessions', sessionsFeed({ sessions, ledger }, signal)),
  ),
  ledger: unvalidated.feed.ledger.handler(({ lastEventId, signal }) =>
    withContractErrors(
      'ledger',
      ledgerFeed(
        { ledger, activity: tasks.activity, usage: tasks.limits.usage },
        lastEventId,
        signal,
      ),
    ),
  ),
  permissions: os.feed.permissions.handler(({ signal }) =>
    withContractErrors('permissions', permissionsFeed(permissions, signal)),
  ),
  session: os.feed.session.handler(({ input, lastEventId, signal }) =>
    withContractErrors(
      'session',
      sessionFeed(
        { sessions, records },
        taskId(input.workspaceId, 'workspace'),
        lastEventId,
        signal,
      ),
    ),
  ),
  resumePlan: os.feed.resumePlan.handler(({ input }) =>
    withContractErrors('resumePlan', tasks.resuming.planned(input.selector)),
  ),
})
