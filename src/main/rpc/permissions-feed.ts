/** The questions that wait for a person: all of them at first, and again whenever one came or went. */
import type { PermissionQuestions } from '../../shared/agents/permissions.ts'
import type { PermissionsFeedEvent } from '../../shared/contract/feed.ts'
import { changesOf } from './changes-of.ts'

export const permissionsFeed = (
  { pending, subscribe }: Pick<PermissionQuestions, 'pending' | 'subscribe'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<PermissionsFeedEvent> =>
  changesOf(() => ({ questions: pending() }), subscribe, signal)
