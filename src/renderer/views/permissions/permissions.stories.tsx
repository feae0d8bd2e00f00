/** Questions of agents in the window: in the conversation and in the list “Needs you”, and the rules. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { answerable } from '../../../../storybook/answerable.ts'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { leadLive, testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { questionWith } from '../../../../tests/fixtures/entries/questions.ts'
import { ids, liveActivity, liveRecords } from '../../../../tests/fixtures/entries/tasks.ts'

type Questions = ReturnType<typeof questionWith>[]

const commands: Questions = [
  questionWith(),
  questionWith({ id: 'question-2', text: 'rm -rf build', proposal: ['bash: rm -rf build'] }),
]
const ownQuestion = (id: string, text: string) =>
  questionWith({ id, text, kind: 'question', tool: 'ask_person', proposal: [], reasons: [] })

const fakeWith = (questions: Questions) =>
  createStoryHost({
    records: liveRecords,
    sessions: { [ids.lead]: leadLive(), [ids.tests]: { entries: testsEnded() } },
    activity: { ...liveActivity, [ids.tests]: { state: 'asking' } },
    permissions: {
      questions,
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

function Stage({ address, questions }: Args) {
  const [fake] = useState(() => fakeWith(questions ?? commands))
  shown = fake
  return <AppStage fake={fake} address={address} />
}

interface Args {
  address: string
  questions?: Questions
}

const meta: Meta<Args> = {
  title: 'Screens/Permissions',
  decorators: [inWindow],
  render: (args) => <Stage {...args} />,
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
    await userEvent.click(await answerable(canvasElement, 'Allow once'))
    await waitFor(() => expect(within(list).getAllByRole('link')).toHaveLength(1))
    await expect(shown.asked('permissions.answer')).toEqual([
      { id: 'question-1', decision: { kind: 'allow-once' } },
    ])
    await waitFor(() =>
      expect(canvas.getByRole('region', { name: 'The command' })).toHaveTextContent('rm -rf build'),
    )
    await userEvent.click(canvas.getByRole('button', { name: 'Deny…' }))
    await userEvent.click(await answerable(canvasElement, 'Deny'))
    await waitFor(() => expect(canvas.queryByRole('region', { name: 'Needs you' })).toBeNull())
  },
}

/** After an answer the next request has the focus, until the user does something else. */
export const AnsweredByKeyboard: Story = {
  args: { address: `#/t/${ids.lead}` },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const allow = () => canvas.getByRole('button', { name: 'Allow once' })
    await canvas.findByRole('region', { name: 'The command' })
    ;(await answerable(canvasElement, 'Allow once')).focus()
    await userEvent.keyboard('{Enter}')
    await waitFor(() =>
      expect(canvas.getByRole('region', { name: 'The command' })).toHaveTextContent('rm -rf build'),
    )
    await waitFor(() => expect(allow()).toHaveFocus())
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(shown.asked('permissions.answer')).toHaveLength(2))
  },
}

/** What is typed when a question comes, or after an answer, is the answer and no follow-up. */
export const QuestionsByKeyboard: Story = {
  args: {
    address: `#/t/${ids.lead}`,
    questions: [ownQuestion('q1', 'Keep the old format?'), ownQuestion('q2', 'And for how long?')],
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const answer = () => canvas.getByRole('textbox', { name: 'Your answer' })
    await canvas.findByText('Keep the old format?')
    await canvas.findByPlaceholderText(/^Write a follow-up: the question/)
    await userEvent.click(answer())
    await userEvent.keyboard('Yes{Control>}{Enter}{/Control}')
    await canvas.findByText('And for how long?')
    await waitFor(() => expect(answer()).toHaveFocus())
    await userEvent.keyboard('A month{Control>}{Enter}{/Control}')
    await waitFor(() =>
      expect(shown.asked('permissions.answer')).toEqual([
        { id: 'q1', decision: { kind: 'answer', text: 'Yes' } },
        { id: 'q2', decision: { kind: 'answer', text: 'A month' } },
      ]),
    )
  },
}

/** A question that comes while the empty field of follow-ups has the focus takes it. */
export const QuestionTakesFocus: Story = {
  args: { address: `#/t/${ids.lead}`, questions: [] },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('textbox', { name: 'Follow-up' }))
    shown.askPermission(ownQuestion('q1', 'Keep the old format?'))
    await waitFor(() => expect(canvas.getByRole('textbox', { name: 'Your answer' })).toHaveFocus())
    const followUp = canvas.getByRole('textbox', { name: 'Follow-up' })
    await userEvent.type(followUp, 'Later: ')
    shown.askPermission(ownQuestion('q2', 'And for how long?'))
    await canvas.findByText('1 more')
    await expect(followUp).toHaveFocus()
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
