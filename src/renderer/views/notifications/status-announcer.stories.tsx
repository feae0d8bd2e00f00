/** What is announced to screen readers while the window is used. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { questionWith } from '../../../../tests/fixtures/entries/questions.ts'
import { ids, liveRecords } from '../../../../tests/fixtures/entries/tasks.ts'

let fake: StoryHost

const meta: Meta = {
  title: 'Screens/Announcements',
  decorators: [inWindow],
  render: () => {
    fake = createStoryHost({ records: liveRecords })
    return <AppStage fake={fake} address="#/" />
  },
}
export default meta

/** The end of a root is announced; ends of its sub-agents are not, and nothing is at first. */
export const Ends: StoryObj = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByRole('button', { name: 'New agent…' })
    const announced = canvas.getByRole('status', { name: 'Agents' })
    await expect(announced).toBeEmptyDOMElement()
    fake.complete(ids.lead)
    await waitFor(() => expect(announced).toHaveTextContent(/^Completed: Fix the parser$/))
  },
}

/** A question is announced, and no longer stands there once it is answered. */
export const Asks: StoryObj = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByRole('button', { name: 'New agent…' })
    const announced = canvas.getByRole('status', { name: 'Agents' })
    const question = questionWith()
    fake.askPermission(question)
    await waitFor(() => expect(announced).toHaveTextContent(/Add parser tests/))
    await fake.client.permissions.answer({ id: question.id, decision: { kind: 'allow-once' } })
    await waitFor(() => expect(announced).toBeEmptyDOMElement())
  },
}
