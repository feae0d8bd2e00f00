/** What a project asks the user to allow, in the New agent dialog: its set-up and its Git configuration. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { apiProject, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { ProjectSetup } from '../../../shared/contract/projects.ts'
import { newProjectId } from '../../../shared/records/ids.ts'

const nothing: ProjectSetup = {
  setup: null,
  copy: [],
  env: [],
  git: null,
  configSha256: 'a'.repeat(64),
  trusted: false,
}
const git = {
  commands:
    'filter.sign.clean = ./tools/sign --stdin\nmerge.lock.driver = ./tools/merge-lock %O %A %B',
  fetches: [{ remote: 'origin', url: 'https://git.example.org/harbour/api.git' }],
}

const meta: Meta<{ setup: ProjectSetup }> = {
  title: 'Screens/New agent',
  decorators: [inWindow],
  render: ({ setup }) => (
    <AppStage
      fake={createStoryHost({ records: laterRecords, setup })}
      address="#/"
      overlay={{ kind: 'new-agent', projectId: apiProject }}
    />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

const dialogIn = async (canvas: HTMLElement) =>
  within(await within(canvas.ownerDocument.body).findByRole('dialog', { name: 'New agent' }))

export const SetupCommand: Story = {
  args: { setup: { ...nothing, setup: 'npm ci\nnpm run build', copy: ['.env'] } },
}

export const GitConfiguration: Story = {
  args: { setup: { ...nothing, git } },
  play: async ({ canvasElement }) => {
    const dialog = await dialogIn(canvasElement)
    const asked = await dialog.findByRole('region', { name: 'What Git would do' })
    await expect(asked).toHaveTextContent('filter.sign.clean = ./tools/sign --stdin')
    await expect(asked).toHaveTextContent('merge.lock.driver = ./tools/merge-lock %O %A %B')
    await expect(asked).toHaveTextContent(
      'fetch what is missing from https://git.example.org/harbour/api.git (origin)',
    )
    await expect(dialog.queryByText(/set-up command/)).toBeNull()
  },
}

/** Opened outside of a project, it proposes the one that was worked in last, as Home does, and not the newest. */
export const ProjectUsedLast: Story = {
  args: { setup: nothing },
  render: ({ setup }) => {
    const fake = createStoryHost({ records: laterRecords, setup })
    fake.record({
      type: 'project.added',
      projectId: newProjectId(),
      name: 'newest',
      dir: '/code/newest',
      git: true,
    })
    return <AppStage fake={fake} address="#/" overlay={{ kind: 'new-agent', projectId: null }} />
  },
  play: async ({ canvasElement }) => {
    const dialog = await dialogIn(canvasElement)
    await expect(dialog.getByRole('combobox', { name: 'Project' })).not.toHaveTextContent('newest')
  },
}

/** A command in Git's configuration can hide no more than one in the set-up. */
export const HostileGit: Story = {
  args: {
    setup: {
      ...nothing,
      git: {
        commands: `filter.a.clean = cat\u202e;txt.x/.\u2069 \u001b]0;./x;\u0007\nfilter.b.clean = cat${'\n'.repeat(40)}./x`,
        fetches: [],
      },
    },
  },
  play: async ({ canvasElement }) => {
    const dialog = await dialogIn(canvasElement)
    const asked = await dialog.findByRole('region', { name: 'What Git would do' })
    await expect(asked).toHaveTextContent('cat<U+202E>;txt.x/.<U+2069> ␛]0;./x;␇')
    await waitFor(() =>
      expect(dialog.getByText('Scroll through all of it to allow it.')).toBeVisible(),
    )
    await expect(dialog.getByRole('button', { name: /Allow and start/ })).toBeDisabled()
  },
}

/** Everything that one project can ask for. */
const everything: ProjectSetup = {
  ...nothing,
  setup: 'npm ci\nnpm run build',
  copy: ['.env', 'certificates'],
  env: ['STRIPE_TEST_KEY'],
  git,
}
export const Everything: Story = { args: { setup: everything } }
export const EverythingDark: Story = { args: { setup: everything }, globals: { theme: 'dark' } }

/** The buttons stay in the window, however much has to be allowed. */
export const LongEverything: Story = {
  args: {
    setup: {
      ...everything,
      setup: Array.from({ length: 60 }, (_, at) => `make target-${at}`).join('\n\n\n'),
      git: { ...git, commands: `${git.commands}\n`.repeat(20) },
    },
  },
  play: async ({ canvasElement }) => {
    const dialog = await dialogIn(canvasElement)
    const allow = await dialog.findByRole('button', { name: /Allow and start/ })
    await expect(allow).toBeDisabled()
    const { bottom } = allow.getBoundingClientRect()
    await expect(bottom).toBeLessThan(innerHeight)
    const shell = allow.closest('[role=dialog]')?.getBoundingClientRect()
    await expect(bottom).toBeLessThan(shell?.bottom ?? 0)
  },
}

export const VariablesAlone: Story = {
  args: { setup: { ...nothing, env: ['STRIPE_TEST_KEY', 'SENTRY_DSN'] } },
}
