import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, fn, userEvent, waitFor, within } from 'storybook/test'
import { inWindow } from '../../../../storybook/decorators.tsx'
import type { OutlineItem } from '../../../shared/contract/transcripts/transcripts.ts'
import { Outline } from './outline.tsx'

const meta: Meta<typeof Outline> = {
  title: 'Conversation/Outline',
  component: Outline,
  decorators: [
    (Story) => (
      <aside aria-label="Outline" className="flex h-[500px] w-72 flex-col border-r bg-canvas">
        <Story />
      </aside>
    ),
    inWindow,
  ],
  args: { busy: false, onGo: fn() },
}
export default meta
type Story = StoryObj<typeof Outline>

const at = Date.UTC(2026, 10, 21, 9, 30)
/** A prompt at every hundredth turn, an error at every seventh. */
const turns = (count: number): OutlineItem[] => [
  { kind: 'run', seq: 1, at, run: 1, reason: 'prompt' },
  ...Array.from({ length: count }, (_, index): OutlineItem[] => {
    const turn = index + 1
    const seq = turn * 10
    const prompt: OutlineItem[] =
      index % 100 === 0
        ? [{ kind: 'prompt', seq: seq - 9, at: at + seq, text: `Now make part ${turn} robust` }]
        : []
    const text = turn % 3 === 0 ? '' : `I read module ${turn} and write its tests, then run them.`
    const failedCalls = turn % 7 === 0 ? 2 : 0
    return [
      ...prompt,
      { kind: 'turn', seq, at: at + seq, turn, calls: 4, failedCalls, status: 'complete', text },
    ]
  }).flat(),
  { kind: 'run-end', seq: count * 10 + 1, at, run: 1, status: 'completed' },
]

export const TenThousandTurns: Story = {
  tags: ['soak'],
  args: { items: turns(10_000), current: 40 },
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    const list = canvas.getByRole('listbox', { name: 'Outline' })
    const current = () => within(list).getByRole('option', { selected: true })
    await waitFor(() => expect(current()).toHaveTextContent('39'))
    await expect(within(list).getAllByRole('option').length).toBeLessThan(60)
    list.focus()
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await expect(args.onGo).toHaveBeenLastCalledWith(expect.objectContaining({ turn: 40 }))
    const filter = canvas.getByRole('searchbox', { name: 'Filter the outline' })
    await userEvent.type(filter, 'part 9901{Enter}')
    await expect(args.onGo).toHaveBeenLastCalledWith(expect.objectContaining({ kind: 'prompt' }))
    await expect(within(list).getAllByRole('option')).toHaveLength(1)
    await userEvent.keyboard('{Escape}')
    await userEvent.click(canvas.getByRole('button', { name: /^Only errors/ }))
    const first = within(list).getAllByRole('option')[0]
    await expect(first).toHaveTextContent('2 errors')
  },
}
export const Dark: Story = {
  args: { items: turns(30), current: 3 },
  globals: { theme: 'dark' },
}

/** The current item stays in view and marked. */
export const FollowsTheReader: Story = {
  render: (args) => {
    const [current, setCurrent] = useState(0)
    return (
      <>
        <button type="button" onClick={() => setCurrent(current + 900)}>
          Read on
        </button>
        <Outline {...args} items={turns(4_000)} current={current} />
      </>
    )
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Read on' }))
    const option = await canvas.findByRole('option', { selected: true })
    await waitFor(() => expect(option).toBeVisible())
    await expect(option).toHaveAttribute('aria-posinset', '901')
  },
}

export const Empty: Story = { args: { items: [], current: -1 } }
