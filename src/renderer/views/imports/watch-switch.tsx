import { useEffect, useState } from 'react'
import type { ImportWatchState } from '../../../shared/contract/imports.ts'
import { counted } from '../../components/primitives/format.ts'
import { RelativeTime, TextButton, toast } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { SkippedList } from './skipped-list.tsx'

/** A switch for keeping other tools' sessions as they grow, and the state of that watch. */
export function WatchSwitch() {
  const { client } = useStores()
  const unreachable = useUnreachable()
  const state = useWatchState(unreachable !== undefined)
  const change = async (enabled: boolean) => {
    try {
      await client.imports.setWatch({ enabled })
    } catch (error) {
      toast.error(problemOf(error, 'change the setting').message)
    }
  }
  return (
    <div className="flex flex-col gap-1">
      <label className="flex min-h-7 w-fit items-center gap-2">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-[var(--accent-fill)]"
          disabled={!state || unreachable !== undefined}
          title={unreachable}
          checked={state?.enabled ?? false}
          onChange={(event) => void change(event.target.checked)}
        />
        Import new and growing sessions while Shiplog runs
      </label>
      <p className="text-small text-muted">
        Copies sessions of Claude Code and Codex, in any project, into the archive if they begin or
        grow from now on. Older ones are imported only where you choose them.
      </p>
      {state?.enabled ? <Watching state={state} /> : null}
    </div>
  )
}

function Watching({ state: { checkedAt, kept, failed, problem } }: { state: ImportWatchState }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p className="flex flex-wrap gap-x-1 text-small text-muted">
        {checkedAt === null ? (
          'Looking for sessions…'
        ) : (
          <span>
            Last checked <RelativeTime at={checkedAt} />.
          </span>
        )}
        {checkedAt === null ? null : (
          <span>
            {kept > 0
              ? `${counted(kept, 'session')} imported since the start.`
              : 'Nothing new so far.'}
          </span>
        )}
        {problem ? <span className="text-amber">{problem}</span> : null}
        {failed.length > 0 ? (
          <>
            <span className="text-amber">
              {counted(failed.length, 'session')} could not be imported.
            </span>
            <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Details
            </TextButton>
          </>
        ) : null}
      </p>
      {isOpen && failed.length > 0 ? <SkippedList skipped={failed} /> : null}
    </>
  )
}

/** Null until the host has sent it. */
function useWatchState(isUnreachable: boolean): ImportWatchState | null {
  const { client } = useStores()
  const [state, setState] = useState<ImportWatchState | null>(null)
  useEffect(() => {
    if (isUnreachable) return
    const abort = new AbortController()
    const { signal } = abort
    const follow = async () => {
      for await (const next of await client.imports.watchState(undefined, { signal }))
        if (!signal.aborted) setState(next)
    }
    // The window reports a lost connection, and this effect runs again once it is back.
    follow().catch(() => {})
    return () => abort.abort()
  }, [client, isUnreachable])
  return state
}
