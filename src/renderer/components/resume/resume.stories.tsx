import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn, userEvent, waitFor, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import {
  conflictDrift,
  hostileDrift,
  movedDrift,
} from '../../../../tests/fixtures/entries/interrupted.ts'
import { fixtureNowMs, ids } from '../../../../tests/fixtures/entries/tasks.ts'
import { noDrift } from '../../../../tests/fixtures/no-drift.ts'
import type { DriftReport, UnknownCall } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ResumeCandidate } from '../../../shared/records/resume.ts'
import { CandidateList, type ShownCandidate } from './candidate-list.tsx'

const onChoose = fn()

function shown(
  taskId: TaskId,
  title: string,
  drift: DriftReport,
  more: Partial<ResumeCandidate> & Partial<Pick<ShownCandidate, 'depth' | 'choice' | 'cause'>> = {},
): ShownCandidate {
  const { depth = 0, choice = 'resume', cause = { kind: 'crashed' }, ...candidate } = more
  return {
    candidate: {
      taskId,
      parentId: null,
      title,
      agent: 'lead',
      status: 'interrupted',
      depth,
      drift,
      obstacle: null,
      ...candidate,
    },
    depth,
    choice,
    cause,
    parentTitle: null,
    open: drift.conflicts.length > 0 || candidate.obstacle != null,
    stoppedAt: new Date(fixtureNowMs - 3_600_000).toISOString(),
  }
}

const meta: Meta<{ rows: ShownCandidate[]; choose?: boolean }> = {
  title: 'Resume/Candidates',
  decorators: [inColumn],
  render: ({ rows, choose = false }) => (
    <CandidateList rows={rows} onChoose={choose ? onChoose : undefined} />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

export const Unchanged: Story = {
  args: { rows: [shown(ids.lead, 'Fix the parser', noDrift(ids.lead))] },
}
/** Files and branches that changed come before a call whose result is unknown. */
export const CallAndChanges: Story = {
  args: {
    choose: true,
    rows: [
      shown(ids.lead, 'Fix the parser', {
        ...noDrift(ids.lead),
        dirty: ['src/f1.js'],
        unknownCalls: [
          { ...hostileDrift(ids.lead).unknownCalls[0], subject: 'npm test' } as UnknownCall,
        ],
      }),
    ],
  },
  play: async ({ canvas }) => {
    await expect(canvas.getByText(/src\/f1\.js/)).toBeVisible()
    await expect(canvas.queryByText(/npm test/)).toBeNull()
  },
}
export const Conflicts: Story = {
  args: { rows: [shown(ids.lead, 'Fix the parser', conflictDrift(ids.lead))] },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const files = canvas.getByRole('table', { name: '3 files changed since it stopped' })
    await expect(within(files).getByText('was src/rules.ts')).toBeVisible()
    await expect(canvas.getByText('main has 3 new commits since 4f1c2d9.')).toBeVisible()
    await expect(canvas.getByText('sleep 45; ls')).toBeVisible()
  },
}
export const ConflictsDark: Story = { ...Conflicts, globals: { theme: 'dark' }, play: undefined }
export const Tree: Story = {
  args: {
    choose: true,
    rows: [
      shown(ids.lead, 'Fix the parser', movedDrift(ids.lead)),
      shown(ids.tests, 'Add parser tests', conflictDrift(ids.tests), { depth: 1, agent: 'tester' }),
      shown(ids.fuzz, 'Fuzz the tokenizer', noDrift(ids.fuzz), { depth: 2, choice: 'leave' }),
      shown(ids.review, 'Review the change', noDrift(ids.review), { depth: 1, status: 'queued' }),
      shown(ids.docs, 'Write the docs', noDrift(ids.docs), {
        depth: 1,
        choice: 'leave',
        obstacle:
          "The project's folder /home/robin/api is not there any more. Put it back, or continue from the agent as a new task in the project's new place.",
      }),
    ],
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(
      canvas.getByRole('combobox', { name: 'What to do with Review the change' }),
    )
    const list = within(await within(document.body).findByRole('listbox'))
    await waitFor(() => expect(list.getAllByRole('option')).toHaveLength(3))
    const options = list.getAllByRole('option')
    // One that never began is fresh already.
    await expect(options.map((option) => option.textContent)).toEqual([
      'Resume',
      'Abandon',
      'Leave',
    ])
    await userEvent.click(options[1] as HTMLElement)
    await waitFor(() => expect(onChoose).toHaveBeenLastCalledWith(ids.review, 'abandon'))
    await waitFor(() => expect(within(document.body).queryByRole('listbox')).toBeNull())
  },
}
export const TreeDark: Story = { ...Tree, globals: { theme: 'dark' }, play: undefined }
export const Hostile: Story = {
  args: {
    rows: [
      shown(
        ids.lead,
        `${'longword'.repeat(30)} \u202Egnp.exe <script>alert(1)</script>`,
        hostileDrift(ids.lead),
        {
          cause: { kind: 'said', text: `\u001B[31mred\u001B[0m ${'cause '.repeat(60)}` },
          agent: 'a'.repeat(120),
        },
      ),
    ],
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(canvasElement.querySelector('script, img')).toBeNull()
    await expect(canvasElement.textContent).not.toMatch(/[\u202A-\u202E\u001B]/)
    await expect(canvasElement.scrollWidth).toBeLessThanOrEqual(canvasElement.clientWidth)
    await userEvent.click(canvas.getByRole('button', { name: 'Show all 60' }))
    await expect(canvas.getByText('and 412 more files, not listed')).toBeVisible()
  },
}
