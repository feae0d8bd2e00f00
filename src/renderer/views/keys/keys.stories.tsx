/** The list of keys, compared with what is really handled: every key is pressed on every screen. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, screen, waitFor } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import {
  leadEnded,
  leadLive,
  testsEnded,
} from '../../../../tests/fixtures/entries/conversations.ts'
import { interruptedRecords } from '../../../../tests/fixtures/entries/interrupted.ts'
import { ids, laterRecords, liveRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import { workspaceDiff } from '../../../../tests/fixtures/entries/workspaces.ts'
import type { LedgerRecord } from '../../../shared/records/ledger.ts'
import type { Stores } from '../../store/stores.ts'
import { formatRoute, parseRoute } from '../../store/window/route.ts'

interface Args {
  address: string
  records?: LedgerRecord[]
  /** With the changes open beside it. */
  inspector?: boolean
  /** Each selects an element of another part of the screen: once all of them exist, the keys are registered. */
  shown: string[]
}

let stores: Stores | null = null

const article = '[role="feed"] article'

const meta: Meta<Args> = {
  title: 'Screens/Keys',
  decorators: [inWindow],
  args: { records: laterRecords, inspector: false },
  render: ({ address, records }) => (
    <AppStage
      fake={createStoryHost({
        ...(records && { records }),
        diff: workspaceDiff,
        sessions: {
          [ids.lead]: records === laterRecords ? { entries: leadEnded() } : leadLive(),
          [ids.tests]: { entries: testsEnded() },
        },
      })}
      address={address}
      onStores={(made) => {
        stores = made
      }}
    />
  ),
  play: async ({ args }) => {
    await ready(args)
    // In a field its key is text.
    stores?.overlay.show({ kind: 'keys' })
    const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
    const listed = [...dialog.querySelectorAll<HTMLElement>('[data-keys]')].map(
      ({ dataset }) => dataset.keys ?? '',
    )
    const also = [...dialog.querySelectorAll('[data-keys]')].flatMap(({ children }) =>
      children.length === 3 ? [nameOf(children[2]?.textContent ?? '')] : [],
    )
    stores?.overlay.hide()
    await expect(listed.length).toBeGreaterThan(5)
    // No key has two meanings.
    await expect(listed).toEqual([...new Set(listed)])
    const handled = new Set<string>()
    for (const keys of new Set([...candidates, ...listed])) {
      // A key has to be handled at one place only.
      const isHandled =
        places().some((place) => press(place, keys)) ||
        (listed.includes(keys) && (await pressFocused(keys)))
      if (!isHandled) continue
      handled.add(keys)
      await ready(args)
    }
    await expect(listed.filter((keys) => !handled.has(keys))).toEqual([])
    // What a key opened before, Escape closes: that needs no line.
    // One that was pressed after the first of two is the second.
    const seconds = listed.flatMap((keys) => keys.split(' ').slice(1))
    const expected = [...listed, ...seconds, ...also, 'Escape']
    const unlisted = [...handled].filter((keys) => !expected.includes(keys))
    await expect(unlisted).toEqual([])
    await ready(args)
  },
}
export default meta
type Story = StoryObj<Args>

export const Home: Story = { tags: ['soak'], args: { address: '#/', shown: ['[role="treeitem"]'] } }
export const Conversation: Story = {
  args: { address: `#/t/${ids.lead}`, shown: [article, '[data-file]'], inspector: true },
}
export const Running: Story = {
  tags: ['soak'],
  args: { address: `#/t/${ids.lead}`, shown: [article], records: liveRecords },
}
export const Interrupted: Story = {
  tags: ['soak'],
  args: { address: `#/t/${ids.lead}`, shown: [article], records: interruptedRecords },
}
export const TranscriptOver: Story = {
  args: {
    address: `#/t/${ids.lead}/transcript/${ids.tests}`,
    shown: [article, `[role="dialog"] ${article}`],
  },
}
export const FullScreen: Story = {
  tags: ['soak'],
  args: { address: `#/transcript/${ids.tests}?show=tools`, shown: [article] },
}
export const Replay: Story = {
  tags: ['soak'],
  args: {
    address: `#/transcript/${ids.tests}?seq=8&replay`,
    shown: [`[role="slider"], ${article}`],
  },
}
export const Review: Story = {
  tags: ['soak'],
  args: { address: `#/t/${ids.lead}/review`, shown: ['[aria-label="Changed files"] button'] },
}
export const Archive: Story = {
  tags: ['soak'],
  args: {
    address: `#/archive/${ids.tests}/report`,
    shown: ['[role="tree"][aria-label="Transcripts"] [role="treeitem"]'],
  },
}
export const Search: Story = {
  tags: ['soak'],
  args: { address: '#/search?q=cases', shown: ['#search-hits button'] },
}
export const Settings: Story = {
  tags: ['soak'],
  args: { address: '#/settings', shown: ['main [role="combobox"]'] },
}

/** Everything that a keyboard has and no browser keeps for itself; arrows and the like belong to each widget. */
const candidates = [
  ...'abcdefghijklmnopqrstuvwxyz0123456789[]/.,;?-=',
  ...['Escape', 'F3', 'Shift+F3', 'F6', 'Mod+k', 'Mod+f', 'Mod+Shift+f', 'Mod+b', 'Mod+j'],
]

/** The screen as at first, whatever a key did. */
async function ready({ address, shown, inspector }: Args): Promise<void> {
  if (stores && formatRoute(stores.navigation.route.getState()) !== address) {
    stores.overlay.hide()
    stores.navigation.go(parseRoute(address))
  }
  stores?.overlay.hide()
  await waitFor(() => {
    const isOpen = document.querySelector('[aria-label="Inspector"]') !== null
    if (isOpen !== (inspector === true)) press(document.body, 'i')
    expect(shown.filter((part) => document.querySelector(part) === null)).toEqual([])
  })
}

/** What may have the focus: the page, rows, lists and fields. */
function places(): Element[] {
  const within = document.querySelector('[role="dialog"]') ?? document
  return [
    document.body,
    ...within.querySelectorAll(
      [
        '[role="treeitem"][data-row]',
        '[role="tree"][tabindex="0"]',
        '[role="slider"]',
        'section[tabindex="0"]',
        '[role="feed"] article',
        '[data-file]',
        'textarea',
        'input[type="search"]',
      ].join(', '),
    ),
  ]
}

/** Some buttons of a row are there once it has had the focus. */
async function pressFocused(keys: string): Promise<boolean> {
  for (const place of places()) {
    if (place instanceof HTMLElement) place.focus()
    await new Promise(requestAnimationFrame)
    if (press(place, keys)) return true
  }
  return false
}

/** Presses a key, or two one after the other. Returns whether something took it. */
function press(target: Element, keys: string): boolean {
  return keys
    .split(' ')
    .map((key) => {
      const parts = key.split('+')
      const name = parts.at(-1) ?? key
      // A field keeps letters for its text.
      if (target.matches('textarea, input') && name.length === 1 && !parts.includes('Mod'))
        return false
      const event = new KeyboardEvent('keydown', {
        key: name === 'Space' ? ' ' : name,
        bubbles: true,
        cancelable: true,
        ctrlKey: parts.includes('Mod'),
        shiftKey: parts.includes('Shift'),
      })
      target.dispatchEvent(event)
      return event.defaultPrevented
    })
    .includes(true)
}

const arrows: Record<string, string> = {
  '↑': 'ArrowUp',
  '↓': 'ArrowDown',
  '←': 'ArrowLeft',
  '→': 'ArrowRight',
}
const nameOf = (shown: string): string => arrows[shown] ?? shown
