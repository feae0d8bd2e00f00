/** The whole window over the fake contract, for stories of screens. */
import { useEffect, useState } from 'react'
import { createConnection } from '../src/renderer/rpc/connection.ts'
import type { Overlay } from '../src/renderer/store/overlay.ts'
import { createStores } from '../src/renderer/store/stores.ts'
import { App } from '../src/renderer/views/app/App.tsx'
import type { FakeContract } from './fake-contract.ts'

/** `address`: where the window stands, as in the URL's fragment. */
export function AppStage(props: {
  fake: FakeContract
  address: string
  theme?: 'light' | 'dark'
  inspector?: boolean
  /** What lies over the window at first. */
  overlay?: Exclude<Overlay, { kind: 'none' }>
}) {
  const { fake, address, theme = 'light', inspector = false, overlay } = props
  const [stores] = useState(() => {
    const connection = createConnection()
    connection.setState({ kind: 'open' }, true)
    return createStores({
      client: fake.client,
      connection,
      window: windowAt(address, { theme, inspectorOpen: inspector }),
    })
  })
  useEffect(() => {
    stores.open()
    // As by a click: on a window that shows something.
    const stop = stores.ledger.store.subscribe(({ phase }) => {
      if (phase !== 'ready') return
      stop()
      if (overlay) stores.overlay.show(overlay)
    })
    return () => {
      stop()
      stores.close()
    }
  }, [stores, overlay])
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
