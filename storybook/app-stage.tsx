/** The whole window over the fake contract, for stories of screens. */
import { useContext, useEffect, useState } from 'react'
import { type ConnectionState, createConnection } from '../src/renderer/rpc/connection.ts'
import { createStores, type Stores } from '../src/renderer/store/stores.ts'
import type { Overlay } from '../src/renderer/store/window/overlay.ts'
import { App } from '../src/renderer/views/app/app.tsx'
import type { StoryHost } from './story-host.ts'
import { StoryTheme } from './story-theme.ts'

/** `address`: where the window stands, as in the URL's fragment. */
export function AppStage(props: {
  fake: StoryHost
  address: string
  theme?: 'light' | 'dark'
  inspector?: boolean
  /** What the page's connection is: from the start, or once the window shows something. */
  connection?: { state: ConnectionState; from: 'start' | 'loaded' }
  /** What lies over the window at first. */
  overlay?: Exclude<Overlay, { kind: 'none' }>
  /** Receives what the window is made of. */
  onStores?(stores: Stores): void
}) {
  const { fake, address, inspector = false, overlay, connection: shown, onStores } = props
  const storyTheme = useContext(StoryTheme)
  const { theme = storyTheme } = props
  const [stores] = useState(() => {
    const connection = createConnection()
    connection.setState(shown?.from === 'start' ? shown.state : { kind: 'open' }, true)
    return createStores({
      client: fake.client,
      connection,
      window: windowAt(address, { theme, inspectorOpen: inspector }),
    })
  })
  useEffect(() => onStores?.(stores), [stores, onStores])
  useEffect(() => {
    // A page that is refused is answered nothing.
    if (shown?.from !== 'start') stores.open()
    // As by a click: on a window that shows something.
    const stop = stores.ledger.store.subscribe(({ phase }) => {
      if (phase !== 'ready') return
      stop()
      if (overlay) stores.overlay.show(overlay)
      if (shown?.from === 'loaded') stores.connection.setState(shown.state, true)
    })
    return () => {
      stop()
      stores.close()
    }
  }, [stores, overlay, shown])
  return <App stores={stores} />
}

/** As much of a window as the stores use; a story must not change Storybook's own address. */
function windowAt(hash: string, preferences: Record<string, unknown>): Window {
  const kept = new Map([['shiplog.preferences', JSON.stringify(preferences)]])
  return {
    location: { hash },
    history: { pushState() {}, replaceState() {} },
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    },
    addEventListener() {},
    removeEventListener() {},
  } as unknown as Window
}
