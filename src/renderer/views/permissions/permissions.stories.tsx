/** Questions of agents in the window: in the conversation, in the list of what needs the person, and the rules. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { leadLive, testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { questionWith } from '../../../../tests/fixtures/entries/questions.ts'
import { ids, liveActivity, liveRecords } from '../../../../tests/fixtures/entries/tasks.ts'

const fakeWith = () =>
  createStoryHost({
    records: liveRecords,
    sessions: { [ids.lead]: leadLive(), [ids.tests]: { entries: testsEnded() } },
    activity: { ...liveActivity, [ids.tests]: { state: 'asking' } },
    permissions: {
      questions: [
        questionWith(),
        questionWith({ id: 'question-2', text: 'rm -rf build', proposal: ['bash: rm -rf build'] }),
      ],
      everywhere: {
        mode: 'ask',
        rules: [
          { effect: 'allow', rule: 'bash: git status *' },
          { effect: 'deny', rule: 'bash: git push *' },
        ],
      },
    },
  })

/** For the play function: what was asked of the host. */
let shown: StoryHost

function Stage({ address }: { address: string }) {
  const [fake] = useState(fakeWith)
  shown = fake
  return <AppStage fake={fake} address={address} />
}

const meta: Meta<{ address: string }> = {
  title: 'Screens/Permissions',
  decorators: [inWindow],
  render: ({ address }) => <Stage address={address} />,
}
export default meta
type Story = StoryObj<typeof meta>

/** The question of a sub-agent stands in its root's conversation; once it is answered the next one does. */
export const Asked: Story = {
  args: { address: `#/t/${ids.lead}` },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const list = await canvas.findByRole('region', { name: 'Needs you' })
    await within(list).findByText('2')
    await expect(within(list).getAllByRole('link')).toHaveLength(2)
    const allow = () => canvas.getByRole('button', { name: 'Allow once' })
    await waitFor(() => expect(allow()).toBeEnabled())
    await userEvent.click(allow())
    await waitFor(() => expect(within(list).getAllByRole('link')).toHaveLength(1))
    await expect(shown.asked('permissions.answer')).toEqual([
      { id: 'question-1', decision: { kind: 'allow-once' } },
    ])
    await waitFor(() =>
      expect(canvas.getByRole('region', { name: 'The command' })).toHaveTextContent('rm -rf build'),
    )
    await userEvent.click(canvas.getByRole('button', { name: 'Deny…' }))
    await userEvent.click(canvas.getByRole('button', { name: 'Deny' }))
    await waitFor(() => expect(canvas.queryByRole('region', { name: 'Needs you' })).toBeNull())
  },
}

export const AskedDark: Story = { args: { address: `#/t/${ids.lead}` }, globals: { theme: 'dark' } }

/** A rule that can’t be read is refused, and says why. */
export const Rules: Story = {
  args: { address: '#/settings' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const second = await canvas.findByRole('textbox', { name: 'Rule 2' })
    await expect(second).toHaveValue('bash: git push *')
    const save = canvas.getByRole('button', { name: 'Save permissions' })
    await expect(save).toBeDisabled()
    await userEvent.clear(second)
    await userEvent.type(second, 'bash: a; b')
    await userEvent.click(save)
    await canvas.findByText(/a rule is for one program/)
    await userEvent.click(canvas.getByRole('button', { name: 'Remove rule 2' }))
    await userEvent.click(save)
    await waitFor(() =>
      expect(shown.asked('permissions.setSettings').at(-1)).toEqual({
        scope: { kind: 'everywhere' },
        settings: { mode: 'ask', rules: [{ effect: 'allow', rule: 'bash: git status *' }] },
        before: expect.objectContaining({ mode: 'ask' }),
      }),
    )
  },
}

/** What is typed after "Add a rule" is the rule, and no letter between a form's fields is a shortcut. */
export const AddsRule: Story = {
  args: { address: '#/settings' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const add = await canvas.findByRole('button', { name: 'Add a rule' })
    add.focus()
    await userEvent.keyboard('nonsense')
    await expect(within(document.body).queryByRole('dialog')).toBeNull()
    await userEvent.keyboard('{Enter}')
    const field = canvas.getByRole('textbox', { name: 'Rule 3' })
    await expect(field).toHaveFocus()
    await userEvent.keyboard('npm test')
    await expect(field).toHaveValue('bash: npm test')
    await expect(within(document.body).queryByRole('dialog')).toBeNull()
  },
}
