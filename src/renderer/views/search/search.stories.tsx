/** The search before, while and after it finds something, and when it can't. */
import { ORPCError } from '@orpc/client'
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { long, testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { SearchIndexState } from '../../../shared/contract/search.ts'

interface Args {
  query: string
  index?: SearchIndexState
  host?: 'never' | 'fails'
}

const answers = {
  never: () => new Promise<void>(() => {}),
  fails: () => Promise.reject(new ORPCError('STORAGE', { message: 'The disk is full.' })),
}

const meta: Meta<Args> = {
  title: 'Screens/Search',
  decorators: [inWindow],
  render: ({ query, index, host }) => (
    <AppStage
      fake={createStoryHost({
        records: laterRecords,
        sessions: {
          [ids.tests]: { entries: testsEnded() },
          [ids.lead]: { entries: long() },
        },
        ...(index && { searchIndex: index }),
        ...(host && { before: (path) => (path === 'search.find' ? answers[host]() : undefined) }),
      })}
      address={`#/search${query === '' ? '' : `?q=${encodeURIComponent(query)}`}`}
    />
  ),
}
export default meta
type Story = StoryObj<Args>

const status = (canvasElement: HTMLElement) =>
  within(within(canvasElement).getByRole('region', { name: 'Search' })).getByRole('status')

export const Start: Story = { args: { query: '' } }
export const Searching: Story = {
  args: { query: 'cases', host: 'never' },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByText('Searching…')
  },
}
export const Nothing: Story = {
  args: { query: 'kitesurfing' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await waitFor(() => expect(status(canvasElement)).toHaveTextContent('No matches.'))
    await userEvent.click(await canvas.findByRole('button', { name: 'Clear the search' }))
    await canvas.findByText('commands that failed')
    await waitFor(() => expect(canvas.getByRole('searchbox')).toHaveFocus())
  },
}
export const FilterWithoutValue: Story = {
  args: { query: 'tool:' },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByText('Write a value directly after tool:')
  },
}
/** A query that can find nothing says why. */
const explains = (query: string, text: RegExp): Story => ({
  args: { query },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByText(text)
  },
})
export const OnlyExcluded = explains('-parser', /^A word after - is left out/)
export const UnknownFilter = explains(
  'foo:bar',
  /^foo: is no filter, so foo:bar was searched as text/,
)
export const MistypedFilterName = explains('tol:bash', /Did you mean tool:\?/)
/** A filter with a name that nothing has says so, and offers the one that was meant. */
export const MistypedTool: Story = {
  tags: ['soak'],
  args: { query: 'src tool:edit_flie' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(
      'tool:edit_flie: No tool with this name was called. Did you mean tool:edit_file?',
    )
    await userEvent.click(canvas.getByRole('button', { name: 'Search with tool:edit_file' }))
    await waitFor(() => expect(canvas.getByRole('searchbox')).toHaveValue('src tool:edit_file'))
    await waitFor(() => expect(status(canvasElement)).toHaveTextContent(/[1-9].* match/))
  },
}
export const NoSuchProject = explains('cases project:banana', /^project:banana: No project has/)
export const OnlySigns = explains('¶', /^Signs alone/)
export const OneLetter = explains('q', /^A single letter/)
export const InvalidFilter: Story = {
  args: { query: 'is:banana' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/^is:banana is not known/)
    await expect(canvas.queryByRole('button', { name: 'Try again' })).toBeNull()
    await expect(status(canvasElement)).not.toHaveTextContent('No matches.')
  },
}
/** The counts of the query before are not those of one that can't be answered. */
export const InvalidAfterHits: Story = {
  tags: ['soak'],
  args: { query: 'cases' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await waitFor(() => expect(status(canvasElement)).toHaveTextContent(/match/))
    await userEvent.type(canvas.getByRole('searchbox'), ' OR tool:bash')
    await canvas.findByText(/^OR joins two words or/)
    await expect(status(canvasElement)).not.toHaveTextContent(/match/)
  },
}
/** The entry has the focus, so that the next arrow key does not leave its transcript. */
export const Opened: Story = {
  args: { query: 'cases' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await waitFor(() => expect(status(canvasElement)).toHaveTextContent(/match/))
    const output = await canvas.findAllByRole('button', { name: /cases/ })
    await userEvent.click(output.at(-1) as HTMLElement)
    await canvas.findByRole('region', { name: /^Transcript of / })
    await waitFor(() => expect(document.activeElement?.matches('article[data-seq]')).toBe(true))
  },
}
/** More than are shown. */
export const Many: Story = {
  tags: ['soak'],
  args: { query: 'renamed' },
  play: async ({ canvasElement }) => {
    await waitFor(() =>
      expect(status(canvasElement)).toHaveTextContent(/^[\d,]+ matches, 100 shown$/),
    )
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Show more' }))
    await waitFor(() => expect(status(canvasElement)).toHaveTextContent(/, 200 shown$/))
  },
}
export const ManyDark: Story = { args: { query: 'renamed' }, globals: { theme: 'dark' } }
/** What was found can be narrowed and sorted without knowing the syntax. */
export const Narrowed: Story = {
  args: { query: 'src' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const page = within(canvasElement.ownerDocument.body)
    const field = await canvas.findByRole('searchbox')
    const kind = await canvas.findByRole('combobox', { name: 'Kind' })
    await userEvent.click(kind)
    await userEvent.click(await page.findByRole('option', { name: /^Call/ }))
    await waitFor(() => expect(field).toHaveValue('src kind:call'))
    // Another one can be chosen directly.
    await userEvent.click(canvas.getByRole('combobox', { name: 'Kind' }))
    await userEvent.click(await page.findByRole('option', { name: /^Output/ }))
    await waitFor(() => expect(field).toHaveValue('src kind:output'))
    await userEvent.click(canvas.getByRole('combobox', { name: 'Kind' }))
    await userEvent.click(await page.findByRole('option', { name: 'Any kind' }))
    await waitFor(() => expect(field).toHaveValue('src'))
    await userEvent.click(canvas.getByRole('combobox', { name: 'Sort by' }))
    await userEvent.click(await page.findByRole('option', { name: 'Newest first' }))
    await waitFor(() => {
      const times = [...canvasElement.querySelectorAll('#search-hits li time')]
      const ats = times.map((time) => time.getAttribute('datetime') ?? '')
      expect(ats[0]).toBe(ats.toSorted().at(-1))
    })
  },
}
export const Indexing: Story = {
  args: { query: 'cases', index: { state: 'updating', indexed: 3, total: 7, reason: null } },
  play: async ({ canvasElement }) => {
    await waitFor(() => expect(status(canvasElement)).toHaveTextContent('Indexing: 3 of 7'))
  },
}
export const Unavailable: Story = {
  args: {
    query: 'cases',
    index: { state: 'unavailable', indexed: 0, total: 7, reason: 'node:sqlite has no FTS5' },
  },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByText(/^The search index can’t be used/)
  },
}
export const Failed: Story = {
  args: { query: 'cases', host: 'fails' },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByText('The disk is full.')
    await within(canvasElement).findByRole('button', { name: 'Try again' })
  },
}
