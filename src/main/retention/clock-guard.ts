/**
 * Blocks expiry after the clock jumped ahead, until the user has confirmed the clock. See
 * FORMAT.md.
 */

import type { ClockAhead } from '../../shared/contract/retention.ts'
import { refused } from '../../shared/failure.ts'
import { clockAhead } from '../../shared/projections/ledger/ledger-clock.ts'
import { clockAheadText } from '../../shared/text/clock-ahead-text.ts'
import type { Ledger } from '../ledger/ledger.ts'

export interface ClockGuard {
  /** Returns how far the clock is ahead; null if it can be trusted. */
  ahead(): ClockAhead | null
  /** For automatic removals: returns false after a jump, which is reported once. */
  isTrusted(): boolean
  /** For a user's request: records that the clock is right, or throws if it was not confirmed. */
  confirm(clockIsRight: boolean): Promise<void>
}

export function createClockGuard(deps: {
  ledger: Ledger
  clock: () => number
  onClockAhead: (text: string) => void
  onClockConfirmed: () => void
}): ClockGuard {
  const { ledger, clock } = deps
  let wasReported = false

  function ahead(): ClockAhead | null {
    const found = clockAhead(ledger.state.clock, clock())
    return found && { days: found.days, newestAt: new Date(found.newestAtMs).toISOString() }
  }

  return {
    ahead,
    isTrusted() {
      const found = ahead()
      if (found && !wasReported) {
        wasReported = true
        deps.onClockAhead(
          `${clockAheadText(found)}, so nothing was cleaned up. If today’s date is right, run \`shiplog prune --yes\`, or clean up in Settings.`,
        )
      }
      return found === null
    },
    async confirm(clockIsRight) {
      const found = ahead()
      if (!found) return
      if (!clockIsRight)
        refused(
          'clock-ahead',
          `${clockAheadText(found)}, so nothing was removed. Is today’s date right?`,
        )
      await ledger.record({ type: 'clock.confirmed' })
      wasReported = false
      deps.onClockConfirmed()
    },
  }
}
