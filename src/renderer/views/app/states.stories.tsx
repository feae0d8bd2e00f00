/** The screens without data, with late or failed answers, and with very much data. */
import { ORPCError } from '@orpc/client'
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { questionWith } from '../../../../tests/fixtures/entries/questions.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Stores } from '../../store/stores.ts'
import { parseRoute } from '../../store/window/route.ts'

interface Args {
  fake(): StoryHost
  address: string
}

const meta: Meta<Args> = {
  title: 'Screens/States',
  decorators: [inWindow],
  render: ({ fake, address }) => <AppStage fake={fake()} address={address} onStores={setWindow} />,
}
export default meta
type Story = StoryObj<Args>

/** Matches feeds, which these stories neither delay nor fail. */
const isFeed = (path: string) => path.startsWith('feed.')
const later = (before?: (path: string) => Promise<void> | undefined) =>
  createStoryHost({ records: laterRecords, ...(before && { before }) })

let stores: Stores | null = null
const setWindow = (made: Stores) => {
  stores = made
}
/** Navigates through the store, because a link would change the address of the story's own page. */
const go = (hash: string) => stores?.navigation.go(parseRoute(hash))

/** No project yet: every list is empty and shows how to fill it. */
export const Nothing: Story = {
  args: { fake: () => createStoryHost(), address: '#/archive' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/^Nothing is recorded yet/)
    await expect(canvas.getByRole('heading', { level: 1, name: 'Archive' })).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: 'Import sessions…' }))
    await within(document.body).findByRole('dialog', { name: 'Import sessions' })
    await userEvent.keyboard('{Escape}')
    await userEvent.keyboard('gh')
    await canvas.findByRole('list', { name: 'First steps' })
    await canvas.findByText(/^Your projects and their agents are listed here/)
    await expect(canvas.queryByRole('region', { name: 'Needs you' })).toBeNull()
  },
}
export const NothingDark: Story = {
  args: { fake: () => createStoryHost(), address: '#/archive' },
  globals: { theme: 'dark' },
}

/** The host answers only the feed: known data is shown, and placeholders for the rest. */
export const Loading: Story = {
  args: {
    fake: () => later((path) => (isFeed(path) ? undefined : new Promise(() => {}))),
    address: '#/settings',
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByRole('heading', { name: 'Retention' })
    await expect(canvas.queryByRole('alert')).toBeNull()
    go('#/archive')
    await canvas.findByRole('heading', { name: 'Archive' })
    await expect(canvas.queryByText(/^Nothing/)).toBeNull()
    go('#/')
    await canvas.findByRole('region', { name: 'Recent' })
  },
}

let isDown = true
/** Each part that could not be read shows that, and is read again once the host answers. */
export const Failed: Story = {
  args: {
    fake: () => {
      isDown = true
      return later((path) =>
        isDown && !isFeed(path)
          ? Promise.reject(new ORPCError('STORAGE', { message: 'The disk is full.' }))
          : undefined,
      )
    },
    address: '#/archive',
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByRole('alert')
    isDown = false
    await userEvent.click(canvas.getByRole('button', { name: 'Try again' }))
    await canvas.findByRole('tree', { name: 'Transcripts' })
    isDown = true
    go('#/settings')
    await waitFor(() =>
      expect(canvas.getAllByRole('button', { name: 'Try again' })).toHaveLength(6),
    )
    await expect(canvas.queryByText(/undefined|INTERNAL/)).toBeNull()
    isDown = false
    for (const again of canvas.getAllByRole('button', { name: 'Try again' }))
      await userEvent.click(again)
    await waitFor(() =>
      expect(canvas.queryAllByRole('alert').map(({ textContent }) => textContent)).toEqual([]),
    )
  },
}
export const FailedDark: Story = { ...Failed, globals: { theme: 'dark' }, play: undefined }

/** The data of a busy user over months: 240 roots, 40 questions, 30 interrupted trees. */
function huge(): StoryHost {
  const fake = createStoryHost()
  const projects = [
    'api',
    'site',
    'tools',
    'a-library-with-a-very-long-name-that-has-to-be-cut',
  ].map((name) => fake.addProject(`/home/robin/${name}`))
  for (let index = 0; index < 240; index++) {
    const projectId = projects[index % projects.length] ?? fake.addProject('/home/robin/api')
    const title = `${index % 5 === 0 ? 'Migrate the settings of every deployment to the new format, and ' : ''}Task ${index + 1}`
    const root = fake.start({ projectId, title })
    if (index % 8 === 0) fake.interrupt(root)
    else if (index % 6 === 1) askedBy(fake, root, index)
    else if (index % 11 !== 4) fake.complete(root)
  }
  return fake
}

const askedBy = (fake: StoryHost, taskId: TaskId, index: number) =>
  fake.askPermission(
    questionWith({
      id: `question-${index}`,
      taskId,
      chain: [{ taskId, title: `Task ${index + 1}` }],
    }),
  )

export const Huge: Story = {
  tags: ['soak'],
  args: { fake: huge, address: '#/' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const waiting = within(await canvas.findByRole('region', { name: /^Waiting for you/ }))
    await expect(waiting.getAllByRole('link')).toHaveLength(5)
    await expect(canvasElement.querySelectorAll('*').length).toBeLessThan(3_000)
    // No list of the sidebar pushes the others out of view.
    const projects = canvas.getByRole('tree', { name: 'Projects and agents' })
    await expect(projects.clientHeight).toBeGreaterThan(80)
    await expect(canvasElement.scrollHeight).toBeLessThanOrEqual(window.innerHeight)
    await userEvent.click(waiting.getByRole('button', { name: /^Show all 40/ }))
    await expect(waiting.getAllByRole('link')).toHaveLength(40)
    await canvas.findByRole('link', { name: /more in the archive$/ })
    await userEvent.type(canvas.getByRole('textbox', { name: 'Task for a new agent' }), 'Tidy up')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    const dialog = await within(document.body).findByRole('dialog', { name: 'New agent' })
    await expect(within(dialog).getByRole('textbox', { name: 'Prompt' })).toHaveValue('Tidy up')
  },
}
export const HugeDark: Story = { args: { fake: huge, address: '#/' }, globals: { theme: 'dark' } }

/** A day without failures. */
export const Quiet: Story = {
  args: {
    fake: () => {
      const fake = later()
      fake.complete(ids.lead)
      return fake
    },
    address: '#/',
  },
}
