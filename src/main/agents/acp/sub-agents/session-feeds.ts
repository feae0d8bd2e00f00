/**
 * Sorts what one process sends by its sessions: that of the run, and those of the sub-agents that the agent runs itself
 * in the same process. Everything happens at arrival, so that the items of a session keep their order.
 */
import { isRecord, text } from '../content.ts'
import { createFeed, type Feed as FeedOf } from '../feed.ts'
import { cancelled } from '../permission-requests.ts'
import type { Child, Item, SessionItem } from '../session-items.ts'

type Feed = FeedOf<SessionItem>

export interface SessionFeeds {
  readonly main: Feed
  /** Called in the order of arrival. */
  update(sessionId: string, update: unknown): void
  /** Replayed while the session was loaded: a sub-agent in it has ended its work, and has its task. */
  replayed(sessionId: string, update: unknown): void
  permission(item: Extract<Item, { kind: 'permission' }>): void
  /** Ends one round before it is idle: what it sends from now on is kept with its parent. */
  leave(child: Child): void
  /** Some sub-agent is at work. */
  areWorking(): boolean
  hasRoom(): Promise<void>
  /** Resolves once what has arrived of the session of the run was read. */
  untilRead(): Promise<void>
  /** No process sends anything more. */
  end(error: Error | null): void
}

export function createSessionFeeds(): SessionFeeds {
  const main = createFeed<SessionItem>()
  const children = new Map<string, Child>()
  /** The session that announced each of them. */
  const owners = new Map<string, string>()
  const begun = new WeakSet<Child>()
  /** Where each of them works, as the agent reported it last. */
  const folders = new Map<string, string | null>()

  /** The feed of the reader of a session's items, else of the session that announced it. */
  function feedOf(sessionId: string): Feed {
    const child = children.get(sessionId)
    if (!child) return main
    return child.isOver ? feedOf(owners.get(sessionId) ?? '') : child.feed
  }

  /** The first item of a sub-agent also wakes its parent, which may not have received its prompt. */
  function push(sessionId: string, item: SessionItem): void {
    const feed = feedOf(sessionId)
    feed.push(item)
    const child = children.get(sessionId)
    if (child && !child.isOver && !begun.has(child)) {
      begun.add(child)
      feedOf(owners.get(sessionId) ?? '').push({ kind: 'sub-agent-began', child })
    }
  }

  function announce(owner: string, sessionId: string): Child {
    const known = children.get(sessionId)
    if (known && !known.isOver) return known
    const child: Child = {
      sessionId,
      round: (known?.round ?? 0) + 1,
      feed: createFeed<SessionItem>(),
      canCancel: known?.canCancel ?? false,
      cwd: folders.get(sessionId) ?? null,
      ...{ isWorking: false, isOver: false },
    }
    children.set(sessionId, child)
    if (!known) owners.set(sessionId, owner)
    return child
  }

  /** Reports of a session about a sub-agent of its own. */
  function subAgentUpdate(owner: string, update: Record<string, unknown>): void {
    const sessionId = text(update.sessionId)
    // A session can't be below itself.
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
    if (!begun.has(child)) child.cwd = cwd
    // What it sent before was sent from the folder before.
    else if (!child.isOver) child.feed.push({ kind: 'moved', cwd })
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
      // A message to one that is idle gives it more work, whether that was announced or not.
      if (about?.isOver) about = announce(sessionId, about.sessionId)
      push(sessionId, { kind: 'update', sessionId, update, about })
    },
    replayed(owner, update) {
      if (!isRecord(update) || update.sessionUpdate !== 'subagent_update') return
      const sessionId = text(update.sessionId)
      if (sessionId === null || sessionId === owner || children.has(sessionId)) return
      children.set(sessionId, {
        ...{ sessionId, round: 0, feed: createFeed<SessionItem>(), cwd: null },
        ...{ canCancel: false, isWorking: false, isOver: true },
      })
      owners.set(sessionId, owner)
    },
    permission: (item) => push(text(item.request.sessionId) ?? '', item),
    leave(child) {
      Object.assign(child, { isOver: true, isWorking: false })
      for (let item = child.feed.take(); item; item = child.feed.take()) {
        if (item.kind === 'permission') item.resolve(cancelled)
        else if (item.kind === 'update') feedOf(child.sessionId).push(item)
      }
      main.wake()
    },
    areWorking: () => [...children.values()].some(({ isWorking }) => isWorking),
    async hasRoom() {
      await main.hasRoom()
      for (const child of children.values()) if (!child.isOver) await child.feed.hasRoom()
    },
    untilRead: () => new Promise((resolve) => main.push({ kind: 'mark', resolve })),
    end(error) {
      for (const child of children.values())
        if (!child.isOver) child.feed.push({ kind: 'gone', error })
    },
  }
}
