/**
 * Passes the token between tabs of a browser, because a link that is opened in a new tab has none. It does not leave
 * the browser or the origin, and only pages of the local machine take part.
 */

const channelName = 'shiplog.token'
/** Another tab answers in a few milliseconds; one that is in the background may take longer. */
const answerDelayMsMax = 500

type Message = { type: 'token-requested' } | { type: 'token'; token: string }

/** Sends `token` to tabs that request it, as long as `isGood` returns true. */
export function shareToken(token: string, isGood: () => boolean): void {
  if (!isLocalHost()) return
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'token-requested' && isGood())
      channel.postMessage({ type: 'token', token } satisfies Message)
  })
}

/** Returns the token of another tab, or null if none answers. */
export function tokenOfOtherTab(): Promise<string | null> {
  if (!isLocalHost()) return Promise.resolve(null)
  const channel = new BroadcastChannel(channelName)
  return new Promise((resolve) => {
    const settle = (token: string | null): void => {
      clearTimeout(timer)
      channel.close()
      resolve(token)
    }
    const timer = setTimeout(() => settle(null), answerDelayMsMax)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.type === 'token') settle(data.token)
    })
    channel.postMessage({ type: 'token-requested' } satisfies Message)
  })
}

const isLocalHost = (): boolean =>
  location.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
