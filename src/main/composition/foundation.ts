/** The foundation of all services: the ledger, Git, the sessions and the paths of the data directory. */

import { clockAhead } from '../../shared/projections/ledger/ledger-clock.ts'
import { createGit, GitEndedError } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { maskEntry } from '../secrets/mask-records.ts'
import { layoutOf } from '../sessions/session-files.ts'
import { createSessions } from '../sessions/sessions.ts'
import { createStoresOf } from '../turn-store/places.ts'
import { ownerOfWorktree } from '../workspaces/worktree-roots.ts'
import type { ServicesOptions } from './options.ts'

export type Foundation = ReturnType<typeof createFoundation>

export function createFoundation(
  ledger: Ledger,
  { dataDir, notices, secrets, log, lease }: ServicesOptions,
) {
  const clock = Date.now
  const onIgnored = (what: string, error: unknown) => log.warning('ignored', { what, error })
  const layout = layoutOf(dataDir)
  const gitEnding = new AbortController()
  const git = createGit({
    ending: gitEnding.signal,
    ceilings: [layout.dataDir],
    dataDir: layout.dataDir,
    scratchParent: layout.scratch,
    storesOf: createStoresOf(ledger.state, layout),
    isAllowed: (sha256) =>
      [...ledger.state.projects.values()].some((project) => project.gitConfigSha256 === sha256),
    isClockTrusted: () => clockAhead(ledger.state.clock, clock()) === null,
    worktrees: {
      dir: layout.worktrees,
      ownerOf: (root) => ownerOfWorktree(ledger.state.tasks.values(), root),
      onRepaired: (root) =>
        notices.warning(
          `Git’s own files of the worktree ${root} were gone or damaged, and were written again.`,
        ),
    },
  })
  const sessions = createSessions({
    onOpened: ({ id, healed, damage }) => {
      const title = ledger.state.tasks.get(id)?.title ?? id
      notices.sessionOpened({ id, title, healed, damage })
    },
    onListenerError: notices.listenerFailed,
    prepare: (entry) => maskEntry(secrets, entry),
    isDisplaced: lease.isLost,
    onIgnored,
  })
  return {
    ledger,
    git,
    /** Ends all calls of Git; later ones are refused. */
    endGit: () => gitEnding.abort(new GitEndedError()),
    layout,
    sessions,
    clock,
    onProblem: notices.problem,
    onIgnored,
  }
}
