/**
 * A link that is opened in a tab of its own has no token: another tab of this browser that is open on the
 * same host hands it over. It never leaves the browser, nor the origin, and only a page of this very
 * machine is ever asked.
 */

const channelName = 'shiplog.token'
/** Another tab answers in a few milliseconds; one that is in the background may take longer. */
const answerDelayMsMax = 500

type Message = { type: 'asked' } | { type: 'token'; token: string }

/** Hands `token` to tabs that ask, for as long as `isGood`. */
export function shareToken(token: string, isGood: () => boolean): void {
  if (!isOfThisMachine()) return
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'asked' && isGood())
      channel.postMessage({ type: 'token', token } satisfies Message)
  })
}

/** The token of another tab; null when there is none, or none that answers. */
export function tokenOfOtherTab(): Promise<string | null> {
  if (!isOfThisMachine()) return Promise.resolve(null)
  const channel = new BroadcastChannel(channelName)
  return new Promise((resolve) => {
    const settle = (token: string | null): void => {
      clearTimeout(giveUp)
      channel.close()
      resolve(token)
    }
    const giveUp = setTimeout(() => settle(null), answerDelayMsMax)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.type === 'token') settle(data.token)
    })
    channel.postMessage({ type: 'asked' } satisfies Message)
  })
}

const isOfThisMachine = (): boolean =>
  location.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
