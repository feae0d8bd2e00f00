/** Keeps long calls over the Model Context Protocol alive: a client without progress notifications times out. */

export interface CallTiming {
  /** Between two notifications of progress. */
  progressMs: number
  /** A call is answered after this time at the latest, if its client gets progress. */
  answerMs: number
  /** Like `answerMs`, for a client that requested no progress. */
  silentAnswerMs: number
}

/** Codex times out any call after 300 s; Claude Code and OpenCode after 60 s without progress. */
export const usualCallTiming: CallTiming = {
  progressMs: 10_000,
  answerMs: 230_000,
  silentAnswerMs: 50_000,
}

/** A request, as a server of the SDK gets it. */
interface McpRequest {
  _meta?: { progressToken?: string | number | undefined } | undefined
  notify(notification: {
    method: 'notifications/progress'
    params: { progressToken: string | number; progress: number; message: string }
  }): Promise<void>
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

/**
 * Sends progress notifications if the client requested them. `stopWaiting` is aborted when the call must be answered or
 * the client disconnects. Call `end` after answering.
 */
export function keepAlive(
  { _meta, notify, signal }: McpRequest,
  { progressMs, answerMs, silentAnswerMs }: CallTiming,
): { stopWaiting: AbortSignal; end(): void } {
  const progressToken = _meta?.progressToken
  let progress = 0
  const report = (token: string | number) => {
    progress += 1
    const message = `Working for ${Math.round((progress * progressMs) / 1000)} s`
    const params = { progressToken: token, progress, message }
    // A failure means that the client disconnected, which `signal` reports.
    void notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  const ticking =
    progressToken === undefined ? undefined : setInterval(() => report(progressToken), progressMs)
  const waited = new AbortController()
  const timer = setTimeout(
    () => waited.abort(),
    progressToken === undefined ? silentAnswerMs : answerMs,
  )
  return {
    stopWaiting: AbortSignal.any([waited.signal, signal]),
    end() {
      clearInterval(ticking)
      clearTimeout(timer)
    },
  }
}
