/** The feed of pending questions: all of them initially, and again after each change. */
import type { PermissionQuestions } from '../../shared/agents/permissions.ts'
import type { PermissionsFeedEvent } from '../../shared/contract/feed.ts'
import { changesOf } from './changes-of.ts'

export const permissionsFeed = (
  { pending, subscribe }: Pick<PermissionQuestions, 'pending' | 'subscribe'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<PermissionsFeedEvent> =>
  changesOf(() => ({ questions: pending() }), subscribe, signal)
