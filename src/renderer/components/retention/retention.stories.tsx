import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, fn, userEvent, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { fixtureNowMs } from '../../../../tests/fixtures/entries/tasks.ts'
import {
  type ReceiptSummary,
  type RemovedItem,
  retentionDefaults,
  type Sweep,
} from '../../../shared/contract/retention.ts'
import type { ReceiptId } from '../../../shared/records/ids.ts'
import { ReceiptList } from './receipt-list.tsx'
import { RetentionFields } from './retention-fields.tsx'
import { formOf, parseForm, type RetentionForm } from './retention-form.ts'
import { SweepPreview } from './sweep-preview.tsx'

const meta: Meta = { title: 'Retention', decorators: [inColumn] }
export default meta
type Story = StoryObj

const daysAgo = (days: number): string => new Date(fixtureNowMs - days * 86_400_000).toISOString()

function Fields({ start }: { start: RetentionForm }) {
  const [form, setForm] = useState(start)
  return <RetentionFields form={form} errors={parseForm(form).errors} onChange={setForm} />
}

export const Defaults: Story = { render: () => <Fields start={formOf(retentionDefaults)} /> }
export const EveryLimit: Story = {
  render: () => (
    <Fields
      start={formOf({
        transcriptTtlDays: 90,
        transcriptsMax: 500,
        bytesMax: 2_500_000_000,
        trashTtlDays: 14,
        trashBytesMax: 20_000_000_000,
      })}
    />
  ),
}
export const Mistakes: Story = {
  render: () => <Fields start={formOf(retentionDefaults)} />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const days = canvas.getByRole('textbox', { name: 'Keep transcripts for' })
    await userEvent.clear(days)
    await userEvent.type(days, 'a month')
    await canvas.findByText(/Enter a whole number from 0 to 36,500, or leave it empty/)
    await userEvent.clear(canvas.getByRole('textbox', { name: 'Keep deleted items for' }))
    await canvas.findByText(/Enter a whole number from 1 to 36,500\./)
    await userEvent.type(
      canvas.getByRole('textbox', { name: 'Limit total transcript size to' }),
      '2,5',
    )
    await canvas.findByText(/Enter a number such as 2 or 0\.5/)
    await expect(days).toBeInvalid()
  },
}

const removed: RemovedItem[] = [
  ['Add parser tests', 120_400_000, 92],
  [
    'Fuzz the tokenizer with inputs that nobody in their right mind would ever write',
    1_800_000,
    61,
  ],
  ['Write the docs', 48_300, 31],
].map(([title, bytes, days], index) => ({
  id: `0000000${index}-0000-4000-8000-000000000000`,
  kind: 'transcript',
  reason: 'age',
  title: String(title),
  bytes: Number(bytes),
  lastActiveAt: daysAgo(Number(days)),
}))
const inTrash: RemovedItem = {
  id: 'doctor-2026-10-02',
  kind: 'trashed-file',
  reason: 'trash',
  bytes: 2_048,
  title: 'doctor-2026-10-02',
  lastActiveAt: daysAgo(9),
}
const sweep = (items: RemovedItem[]): Sweep => ({
  dryRun: true,
  removed: items,
  kept: 48,
  receipt: null,
})

export const NothingToRemove: Story = { render: () => <SweepPreview sweep={sweep([])} /> }
export const SomeToRemove: Story = {
  render: () => <SweepPreview sweep={sweep([...removed, inTrash])} />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getByRole('status')).toHaveTextContent(
      /^Would remove 3 transcripts, 122 MB, oldest .+\. Would delete 1 item in the trash permanently, 2\.05 kB\. 48 transcripts stay\./,
    )
    await userEvent.click(canvas.getByRole('button', { name: 'Details' }))
    await expect(canvas.getAllByRole('listitem')).toHaveLength(4)
  },
}
export const ManyToRemove: Story = {
  tags: ['soak'],
  render: () => (
    <SweepPreview
      sweep={sweep(
        Array.from({ length: 3_000 }, (_, index) => ({
          ...(removed[index % 3] as RemovedItem),
          id: String(index),
        })),
      )}
    />
  ),
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Details' }))
    await canvas.findByText('and 2,800 more')
  },
}

const receipt = (id: number, over: Partial<ReceiptSummary>): ReceiptSummary => ({
  id: `1111111${id}-0000-4000-8000-000000000000` as ReceiptId,
  at: daysAgo(id),
  by: 'start',
  transcripts: 12,
  bytes: 340_000_000,
  inTrash: 12,
  keptUntil: daysAgo(id - 7),
  deleted: 0,
  deletedBytes: 0,
  restored: 0,
  gone: 0,
  ...over,
})
const receipts = [
  receipt(1, {}),
  receipt(3, { by: 'person', inTrash: 4, restored: 5, gone: 3 }),
  receipt(5, { inTrash: 0, keptUntil: null, restored: 12 }),
  receipt(9, { inTrash: 0, keptUntil: null, gone: 12, deleted: 2, deletedBytes: 1_500_000 }),
  receipt(40, {
    transcripts: 0,
    bytes: 0,
    inTrash: 0,
    keptUntil: null,
    deleted: 3,
    deletedBytes: 81_000,
  }),
]
const nothing = { onOpen: fn(), onUndo: fn(), busy: null }

export const NoReceipts: Story = {
  render: () => <ReceiptList {...nothing} receipts={[]} itemsOf={() => null} />,
}
export const Receipts: Story = {
  render: () => (
    <ReceiptList
      {...nothing}
      receipts={receipts}
      busy={receipts[1]?.id ?? null}
      itemsOf={() => removed.map((item) => ({ ...item, state: 'in-trash' as const }))}
    />
  ),
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getAllByRole('button', { name: /^Undo/ })).toHaveLength(2)
    await canvas.findByText('restored')
    await expect(canvas.getAllByText('permanently deleted')).toHaveLength(2)
    const [details] = canvas.getAllByRole('button', { name: /^Details/ })
    if (details) await userEvent.click(details)
    await canvas.findByText('Add parser tests')
  },
}
export const ReceiptBeingRead: Story = {
  render: () => <ReceiptList {...nothing} receipts={receipts.slice(0, 1)} itemsOf={() => null} />,
  play: async ({ canvasElement }) => {
    await userEvent.click(within(canvasElement).getByRole('button', { name: /^Details/ }))
  },
}
