/**
 * Sorts the items of one process by session: the session of the run, and those of sub-agents that the agent runs in the
 * same process. Items are sorted as they arrive, so that those of a session keep their order.
 */
import { createFeedQueue, type FeedQueue } from '../../../../shared/async/feed-queue.ts'
import { isRecord, text } from '../content.ts'
import { cancelled } from '../permission-requests.ts'
import type { Child, Item, SessionItem } from '../session-items.ts'

type Feed = FeedQueue<SessionItem>

/** A few seconds of a fast model; more waits in the pipe of the process. */
const waitingItemsMax = 500

const createFeed = (): Feed => createFeedQueue({ roomMax: waitingItemsMax })

export interface SessionFeeds {
  readonly main: Feed
  /** Called in the order of arrival. */
  update(sessionId: string, update: unknown): void
  /** For updates that are replayed while a session is loaded: their sub-agents have ended, and have their tasks. */
  replayed(sessionId: string, update: unknown): void
  permission(item: Extract<Item, { kind: 'permission' }>): void
  /** Ends a sub-agent's round before it is idle. Its later items go to its parent. */
  leave(child: Child): void
  /** Reports whether any sub-agent works. */
  areWorking(): boolean
  hasRoom(): Promise<void>
  /** Resolves once all items of the run's session that have arrived were read. */
  untilRead(): Promise<void>
  /** Ends all sub-agents, because their process sends nothing more. */
  end(error: Error | null): void
}

export function createSessionFeeds(): SessionFeeds {
  const main = createFeed()
  const children = new Map<string, Child>()
  /** The session that announced each sub-agent. */
  const owners = new Map<string, string>()
  const started = new WeakSet<Child>()
  /** The folder that the agent last reported for each sub-agent. */
  const folders = new Map<string, string | null>()

  /** Returns the feed of a session, or of the session that announced it if nobody reads its own. */
  function feedOf(sessionId: string): Feed {
    const child = children.get(sessionId)
    if (!child) return main
    return child.isOver ? feedOf(owners.get(sessionId) ?? '') : child.feed
  }

  /** The first item of a sub-agent also wakes its parent, which may not have received its prompt. */
  function push(sessionId: string, item: SessionItem): void {
    feedOf(sessionId).put(item)
    const child = children.get(sessionId)
    if (child && !child.isOver && !started.has(child)) {
      started.add(child)
      feedOf(owners.get(sessionId) ?? '').put({ kind: 'sub-agent-began', child })
    }
  }

  function announce(owner: string, sessionId: string): Child {
    const known = children.get(sessionId)
    if (known && !known.isOver) return known
    const child: Child = {
      sessionId,
      round: (known?.round ?? 0) + 1,
      feed: createFeed(),
      canCancel: known?.canCancel ?? false,
      cwd: folders.get(sessionId) ?? null,
      isWorking: false,
      isOver: false,
    }
    children.set(sessionId, child)
    if (!known) owners.set(sessionId, owner)
    return child
  }

  /** Handles a session's report about one of its sub-agents. */
  function subAgentUpdate(owner: string, update: Record<string, unknown>): void {
    const sessionId = text(update.sessionId)
    // A session can't be its own ancestor.
    if (sessionId === null || sessionId === owner || isAbove(sessionId, owner))
      return push(owner, { kind: 'update', sessionId: owner, update, about: null })
    const state = isRecord(update.state) ? update.state : null
    const known = children.get(sessionId)
    const works = state?.state === 'running' || state?.state === 'requires_action'
    const child = !known || (known.isOver && works) ? announce(owner, sessionId) : known
    if ('cwd' in update) moved(child, text(update.cwd))
    if (isRecord(update.capabilities)) child.canCancel = isRecord(update.capabilities.cancel)
    else if (update.capabilities === null) child.canCancel = false
    if ('state' in update) child.isWorking = works && !child.isOver
    push(owner, { kind: 'update', sessionId: owner, update, about: child })
    if (state?.state !== 'idle' || child.isOver) return
    push(sessionId, { kind: 'idle', state })
    child.isOver = true
  }

  function moved(child: Child, cwd: string | null): void {
    folders.set(child.sessionId, cwd)
    if (!started.has(child)) child.cwd = cwd
    // Queued, because its earlier items were sent from the previous folder.
    else if (!child.isOver) child.feed.put({ kind: 'moved', cwd })
  }

  function isAbove(sessionId: string, owner: string): boolean {
    for (let at = owners.get(owner); at !== undefined; at = owners.get(at))
      if (at === sessionId) return true
    return false
  }

  return {
    main,
    update(sessionId, update) {
      if (isRecord(update) && update.sessionUpdate === 'subagent_update')
        return subAgentUpdate(sessionId, update)
      const recipient = isRecord(update) ? text(update.recipientSessionId) : null
      let about = (recipient !== null && recipient !== sessionId && children.get(recipient)) || null
      // A message to an idle sub-agent gives it more work, even without an announcement.
      if (about?.isOver) about = announce(sessionId, about.sessionId)
      push(sessionId, { kind: 'update', sessionId, update, about })
    },
    replayed(owner, update) {
      if (!isRecord(update) || update.sessionUpdate !== 'subagent_update') return
      const sessionId = text(update.sessionId)
      if (sessionId === null || sessionId === owner || children.has(sessionId)) return
      children.set(sessionId, {
        sessionId,
        round: 0,
        feed: createFeed(),
        cwd: null,
        canCancel: false,
        isWorking: false,
        isOver: true,
      })
      owners.set(sessionId, owner)
    },
    permission: (item) => push(text(item.request.sessionId) ?? '', item),
    leave(child) {
      Object.assign(child, { isOver: true, isWorking: false })
      for (let item = child.feed.take(); item; item = child.feed.take()) {
        if (item.kind === 'permission') item.resolve(cancelled)
        else if (item.kind === 'update') feedOf(child.sessionId).put(item)
      }
      main.wake()
    },
    areWorking: () => [...children.values()].some(({ isWorking }) => isWorking),
    async hasRoom() {
      await main.hasRoom()
      for (const child of children.values()) if (!child.isOver) await child.feed.hasRoom()
    },
    untilRead: () => new Promise((resolve) => main.put({ kind: 'mark', resolve })),
    end(error) {
      for (const child of children.values())
        if (!child.isOver) child.feed.put({ kind: 'gone', error })
    },
  }
}
