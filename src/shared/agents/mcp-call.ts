/** Long calls over the Model Context Protocol: a client that hears nothing for too long gives up. */

export interface CallTiming {
  /** Between two notifications of progress. */
  progressMs: number
  /** A call is answered after this time at the latest, if its client gets progress. */
  answerMs: number
  /** The same for a client that asked for no progress. */
  silentAnswerMs: number
}

/** Codex gives up on any call after 300 s; Claude Code and OpenCode after 60 s without progress. */
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
  /** Aborted when the client has left. */
  signal: AbortSignal
}

/**
 * Tells the client regularly that its call is alive, if it asked for that. `stopWaiting` is aborted when the call has
 * to be answered, and when the client has left. Call `end` when it is answered.
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
    // A client that left gets no answer either.
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
