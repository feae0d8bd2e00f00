/** The settings of a project while somebody else changes them too. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, screen, userEvent, waitFor } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { apiProject, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'

interface Args {
  fake: StoryHost
}

const meta: Meta<Args> = {
  title: 'Screens/Project settings',
  decorators: [inWindow],
  render: ({ fake }) => (
    <AppStage
      fake={fake}
      address="#/settings"
      overlay={{ kind: 'project-settings', projectId: apiProject }}
    />
  ),
}
export default meta
type Story = StoryObj<Args>

const newFake = () => createStoryHost({ records: laterRecords })
const setElsewhere = (fake: StoryHost) =>
  fake.record({
    type: 'project.environment-set',
    projectId: apiProject,
    environment: { allowed: ['NPM_TOKEN'], only: null },
  })

/** Nothing was typed yet: what is set now is shown. */
export const ChangedElsewhere: Story = {
  args: { fake: newFake() },
  play: async ({ args }) => {
    const secrets = await screen.findByRole('textbox', { name: 'Secrets to pass on' })
    setElsewhere(args.fake)
    await waitFor(() => expect(secrets).toHaveValue('NPM_TOKEN'))
  },
}

/** Something was typed: it is kept, not saved over what is set now, and can be let go. */
export const ChangedBoth: Story = {
  tags: ['soak'],
  args: { fake: newFake() },
  play: async ({ args }) => {
    const secrets = await screen.findByRole('textbox', { name: 'Secrets to pass on' })
    await userEvent.type(secrets, 'STRIPE_KEY')
    setElsewhere(args.fake)
    await screen.findByText(/were changed elsewhere while you edited them/)
    await expect(secrets).toHaveValue('STRIPE_KEY')
    await expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
  },
}
export const ChangedBothDark: Story = {
  tags: ['soak'],
  args: { fake: newFake() },
  globals: { theme: 'dark' },
  play: async (context) => {
    await ChangedBoth.play?.(context)
    await userEvent.click(screen.getByRole('button', { name: 'Show the current settings' }))
    const secrets = screen.getByRole('textbox', { name: 'Secrets to pass on' })
    await expect(secrets).toHaveValue('NPM_TOKEN')
    await userEvent.type(secrets, ' STRIPE_KEY')
    await expect(secrets).toHaveValue('NPM_TOKEN STRIPE_KEY')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    const { projects } = await context.args.fake.client.projects.list()
    const saved = projects.find(({ id }) => id === apiProject)
    await expect(saved?.environment?.allowed).toEqual(['NPM_TOKEN', 'STRIPE_KEY'])
  },
}

/** The sandbox is saved with the rest; where the system has none, that is said beside it. */
export const Sandbox: Story = {
  args: { fake: newFake() },
  play: async ({ args }) => {
    const choice = await screen.findByRole('radio', { name: /and have no network/ })
    await userEvent.click(choice)
    await screen.findByText(/^By bubblewrap/)
    await expect(screen.queryByText(/without a sandbox here/)).not.toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    const { projects } = await args.fake.client.projects.list()
    await expect(projects.find(({ id }) => id === apiProject)?.sandbox).toBe('writes-and-network')
  },
}

const noSandbox = () =>
  createStoryHost({
    records: laterRecords,
    sandbox: {
      program: null,
      why: 'bubblewrap is not installed (its program bwrap is not on the PATH)',
    },
  })

export const SandboxMissing: Story = {
  args: { fake: noSandbox() },
  play: async () => {
    await userEvent.click(await screen.findByRole('radio', { name: /temporary folders And/ }))
    const notice = await screen.findByText(/bubblewrap is not installed/)
    notice.scrollIntoView({ block: 'center' })
  },
}
export const SandboxMissingDark: Story = {
  tags: ['soak'],
  args: { fake: noSandbox() },
  globals: { theme: 'dark' },
  play: SandboxMissing.play,
}
