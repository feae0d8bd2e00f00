import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, waitFor, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { Button } from '../primitives/index.ts'
import { CommandToAllow } from './command-to-allow.tsx'

function Asked({ command }: { command: string }) {
  const [seen, setSeen] = useState(false)
  return (
    <div className="flex flex-col gap-2 rounded-md bg-amber-tint px-3 py-2">
      <CommandToAllow command={command} label="The command" onSeen={setSeen} />
      <Button variant="primary" disabled={!seen}>
        Allow
      </Button>
    </div>
  )
}

const meta: Meta<{ command: string }> = {
  title: 'Approval/Command',
  decorators: [inColumn],
  render: ({ command }) => <Asked command={command} />,
}
export default meta
type Story = StoryObj<typeof meta>

const allowIn = (canvas: HTMLElement) => within(canvas).getByRole('button', { name: 'Allow' })

/** The component began to observe it earlier, so it has received the same event already. */
const placeReported = (element: HTMLElement) =>
  new Promise<void>((resolve) => {
    const observer = new IntersectionObserver(() => resolve(observer.disconnect()))
    observer.observe(element)
  })

/** Waits like the component for the whole box, which may come into view only after the first report. */
const inViewReported = (element: HTMLElement) =>
  new Promise<void>((resolve) => {
    const whole = 0.98
    const observer = new IntersectionObserver(
      (changes) => {
        if ((changes.at(-1)?.intersectionRatio ?? 0) >= whole) resolve(observer.disconnect())
      },
      { threshold: [0, whole] },
    )
    observer.observe(element)
  })

export const Short: Story = {
  args: { command: 'npm ci\nnpm run build' },
  play: async ({ canvasElement }) => {
    await waitFor(() => expect(allowIn(canvasElement)).toBeEnabled())
  },
}

/** In a box that scrolls, what is below its fold has not been seen. */
export const BelowTheFold: Story = {
  args: { command: 'npm ci' },
  decorators: [
    (Story) => (
      <section aria-label="Fold" style={{ height: 120, overflowY: 'auto' }}>
        <div style={{ height: 300 }} />
        <Story />
      </section>
    ),
  ],
  play: async ({ canvasElement }) => {
    const allow = allowIn(canvasElement)
    const fold = within(canvasElement).getByRole('region', { name: 'Fold' })
    await expect(allow).toBeDisabled()
    await placeReported(within(canvasElement).getByRole('region', { name: 'The command' }))
    await expect(allow).toBeDisabled()
    fold.scrollTop = fold.scrollHeight
    await waitFor(() => expect(allow).toBeEnabled())
  },
}

/** Escape, override, zero-width space, tag and blanks are all shown. */
export const Hostile: Story = {
  args: {
    command:
      'true npm ci \u001b]0;./x;\u0007\necho \u202e;live/.\u2069 np\u200bm\u{e0041} a\u00a0b שלום ; ls',
  },
  play: async ({ canvasElement }) => {
    const shown = within(canvasElement).getByRole('region', { name: 'The command' })
    await expect(shown).toHaveTextContent('true npm ci ␛]0;./x;␇')
    await expect(shown).toHaveTextContent('<U+202E>;live/.<U+2069> np<U+200B>m<U+E0041> a<U+00A0>b')
  },
}

/** What is far below has to be scrolled to; a jump over it does not count. */
export const Padded: Story = {
  args: { command: `npm ci${'\n'.repeat(41)}./x` },
  play: async ({ canvasElement }) => {
    const allow = allowIn(canvasElement)
    const shown = within(canvasElement).getByRole('region', { name: 'The command' })
    await inViewReported(shown)
    await expect(allow).toBeDisabled()
    const scrollTo = async (top: number) => {
      shown.scrollTop = top
      await new Promise((resolve) => shown.addEventListener('scroll', resolve, { once: true }))
    }
    await scrollTo(shown.scrollHeight)
    await expect(allow).toBeDisabled()
    // What is read while the page moves under it does not count, so it is read again.
    await waitFor(async () => {
      for (let top = 1; top < shown.scrollHeight - shown.clientHeight; top += 60)
        await scrollTo(top)
      await scrollTo(shown.scrollHeight)
      await expect(allow).toBeEnabled()
    })
  },
}

export const Long: Story = {
  args: {
    command: Array.from(
      { length: 60 },
      (_, at) => `echo step ${at + 1} && make target-${at + 1}`,
    ).join('\n'),
  },
}

export const OneLongLine: Story = {
  args: { command: `echo ${'x'.repeat(1200)}${' '.repeat(200)}; ./x` },
}
