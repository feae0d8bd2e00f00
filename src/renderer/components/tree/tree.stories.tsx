import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { Tree } from './tree.tsx'
import { type TreeRow, withKeptRows } from './tree-row.ts'

/** How often each row was rendered, by its id. */
const renders = new Map<string, number>()

function renderRow(row: TreeRow) {
  renders.set(row.id, (renders.get(row.id) ?? 0) + 1)
  return <span className="truncate">{row.id}</span>
}

const treesInStory = 38
const agentsInTree = 15

/** 570 rows below 38 roots. */
const allRows: TreeRow[] = Array.from({ length: treesInStory }, (_, tree) =>
  Array.from({ length: agentsInTree }, (_, agent) => ({
    id: agent === 0 ? `root ${tree}` : `agent ${tree}.${agent}`,
    level: agent === 0 ? 1 : 2,
    height: agent === 0 ? 44 : 28,
    hasChildren: agent === 0,
    folded: false,
  })),
).flat()

function Stage({ rows: given }: { rows: TreeRow[] }) {
  const [selected, setSelected] = useState<string | null>(given[0]?.id ?? null)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  let hidden = false
  const rows = given.flatMap((row) => {
    if (row.level === 1) hidden = folded.has(row.id)
    else if (hidden) return []
    return [folded.has(row.id) ? { ...row, folded: true } : row]
  })
  return (
    <div style={{ height: 480, width: 264, display: 'flex', flexDirection: 'column' }}>
      <Tree
        label="Agents"
        rows={withKeptRows(given, rows)}
        selected={selected}
        renderRow={renderRow}
        onOpen={(row) => setSelected(row.id)}
        onFold={(row) => {
          const next = new Set(folded)
          if (!next.delete(row.id)) next.add(row.id)
          setFolded(next)
        }}
        menuOf={(row) => [{ label: `Open ${row.id}`, onSelect: () => setSelected(row.id) }]}
        className="min-h-0 flex-1"
      />
    </div>
  )
}

const meta: Meta<{ rows: TreeRow[] }> = {
  title: 'Tree/Tree',
  render: ({ rows }) => <Stage rows={rows} />,
}
export default meta
type Story = StoryObj<typeof meta>

export const Empty: Story = { args: { rows: [] } }
export const Few: Story = { args: { rows: allRows.slice(0, 6) } }

/** Only the rows on screen are in the document, and a selection renders the two rows concerned. */
export const Long: Story = {
  args: { rows: allRows },
  play: async ({ canvasElement }) => {
    const tree = within(canvasElement).getByRole('tree')
    const rows = () => within(tree).getAllByRole('treeitem')
    await waitFor(() => expect(rows().length).toBeGreaterThan(10))
    await expect(rows().length).toBeLessThan(50)
    await userEvent.click(within(tree).getByText('agent 0.1'))
    renders.clear()
    await userEvent.click(within(tree).getByText('agent 0.3'))
    await expect(within(tree).getByText('agent 0.3').closest('[role="treeitem"]')).toHaveAttribute(
      'aria-selected',
      'true',
    )
    await expect([...renders.keys()].toSorted()).toEqual(['agent 0.1', 'agent 0.3'])
  },
}

/** The focus moves past what is in the document, and folding keeps it. */
export const Keys: Story = {
  args: { rows: allRows },
  play: async ({ canvasElement }) => {
    const tree = within(canvasElement).getByRole('tree')
    const focused = () => tree.querySelector(':focus')
    await waitFor(() => expect(within(tree).getAllByRole('treeitem').length).toBeGreaterThan(10))
    await userEvent.tab()
    await waitFor(() => expect(focused()).toHaveTextContent('root 0'))
    await userEvent.keyboard('{End}')
    await waitFor(() => expect(focused()).toHaveTextContent('agent 37.14'))
    await expect(focused()).toHaveAttribute('aria-setsize', '14')
    await userEvent.keyboard('{ArrowLeft}')
    await waitFor(() => expect(focused()).toHaveTextContent('root 37'))
    await userEvent.keyboard('{ArrowLeft}')
    await waitFor(() => expect(focused()).toHaveAttribute('aria-expanded', 'false'))
    await userEvent.keyboard('{Home}j')
    await waitFor(() => expect(focused()).toHaveTextContent('agent 0.1'))
    await userEvent.keyboard(' {Enter}')
    await waitFor(() => expect(focused()).toHaveAttribute('aria-selected', 'true'))
    await userEvent.pointer({ target: focused() as Element, keys: '[MouseRight]' })
    await within(document.body).findByRole('menuitem', { name: 'Open agent 0.1' })
  },
}
