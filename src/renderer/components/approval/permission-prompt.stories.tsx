/** A permission request and its three answers. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fireEvent, fn, userEvent, waitFor, within } from 'storybook/test'
import { answerable } from '../../../../storybook/answerable.ts'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { questionWith } from '../../../../tests/fixtures/entries/questions.ts'
import { ids } from '../../../../tests/fixtures/entries/tasks.ts'
import { PermissionPrompt } from './permission-prompt.tsx'

const meta: Meta<typeof PermissionPrompt> = {
  title: 'Approval/Permission',
  component: PermissionPrompt,
  decorators: [inColumn],
  args: { question: questionWith(), project: 'api', busy: false, onDecide: fn() },
}
export default meta
type Story = StoryObj<typeof meta>

const button = (canvas: HTMLElement, name: string) => within(canvas).getByRole('button', { name })

export const Command: Story = {
  play: async ({ canvasElement, args }) => {
    const allow = await answerable(canvasElement, 'Allow once')
    // A key that is still held from an earlier request answers nothing.
    await expect(fireEvent.keyDown(allow, { key: 'Enter', repeat: true })).toBe(false)
    await userEvent.click(allow)
    await expect(args.onDecide).toHaveBeenCalledWith({ kind: 'allow-once' })
  },
}

/** The proposed rule can be narrowed before it is remembered. */
export const WithARule: Story = {
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await waitFor(() => expect(button(canvasElement, 'Allow with a rule…')).toBeEnabled())
    await userEvent.click(button(canvasElement, 'Allow with a rule…'))
    const field = canvas.getByRole('textbox', { name: 'Rule to remember' })
    await expect(field).toHaveValue('bash: npm test *')
    await expect(field).toHaveFocus()
    await userEvent.clear(field)
    await expect(button(canvasElement, 'Allow and remember')).toBeDisabled()
    await userEvent.type(field, 'bash: npm test -- --run *')
    await userEvent.click(await answerable(canvasElement, 'Allow and remember'))
    await expect(args.onDecide).toHaveBeenCalledWith({
      kind: 'allow-always',
      rules: ['bash: npm test -- --run *'],
      scope: 'project',
    })
  },
}

export const Denied: Story = {
  play: async ({ canvasElement, args }) => {
    await userEvent.click(button(canvasElement, 'Deny…'))
    const why = within(canvasElement).getByRole('textbox', { name: 'Say why' })
    await expect(why).toHaveFocus()
    // A held space is typed; Enter, still held from the button that opened this step, does not answer.
    await expect(fireEvent.keyDown(why, { key: ' ', repeat: true })).toBe(true)
    await expect(fireEvent.keyDown(why, { key: 'Enter', repeat: true })).toBe(false)
    await expect(args.onDecide).not.toHaveBeenCalled()
    await userEvent.type(why, 'Use make.')
    await userEvent.click(await answerable(canvasElement, 'Deny'))
    await expect(args.onDecide).toHaveBeenCalledWith({ kind: 'deny', message: 'Use make.' })
  },
}

/** Each step by keyboard: Escape goes back to the button that opened it, Enter in its field decides. */
export const ByKeyboard: Story = {
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await waitFor(() => expect(button(canvasElement, 'Allow with a rule…')).toBeEnabled())
    button(canvasElement, 'Allow with a rule…').focus()
    await userEvent.keyboard('{Enter}')
    await expect(canvas.getByRole('textbox', { name: 'Rule to remember' })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect(button(canvasElement, 'Allow with a rule…')).toHaveFocus()
    await userEvent.keyboard('{Enter}{Control>}{Enter}{/Control}')
    await expect(args.onDecide).toHaveBeenLastCalledWith(
      expect.objectContaining({ kind: 'allow-always', rules: ['bash: npm test *'] }),
    )
    await userEvent.keyboard('{Escape}')
    button(canvasElement, 'Deny…').focus()
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('Use make.{Escape}')
    await expect(button(canvasElement, 'Deny…')).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard('{Enter}')
    await expect(args.onDecide).toHaveBeenLastCalledWith({ kind: 'deny', message: 'Use make.' })
  },
}

/** A question of the agent itself: choices, or another answer. */
export const Question: Story = {
  args: {
    question: questionWith({
      kind: 'question',
      tool: 'ask_person',
      proposal: [],
      reasons: [],
      text: 'Shall the parser keep the old date format as well?\nLogs before March use it.',
      choices: ['Yes, both', 'Only the new one'],
    }),
  },
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await expect(button(canvasElement, 'Only the new one')).toBeDisabled()
    await userEvent.click(await answerable(canvasElement, 'Only the new one'))
    await expect(args.onDecide).toHaveBeenLastCalledWith({
      kind: 'answer',
      text: 'Only the new one',
    })
    await expect(button(canvasElement, 'Answer')).toBeDisabled()
    await userEvent.type(canvas.getByRole('textbox', { name: 'Another answer' }), 'For a month.')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect(args.onDecide).toHaveBeenLastCalledWith({ kind: 'answer', text: 'For a month.' })
    await userEvent.click(button(canvasElement, 'Let the agent decide'))
    await expect(args.onDecide).toHaveBeenLastCalledWith({ kind: 'deny', message: '' })
  },
}
export const QuestionDark: Story = { ...Question, globals: { theme: 'dark' }, play: undefined }

/**
 * A command longer than its box, with invisible characters: it can't be allowed before all of it was in view, and no
 * rule is proposed.
 */
export const Hostile: Story = {
  args: {
    question: questionWith({
      text: `npm test \u202e\n${'\n'.repeat(30)}rm -rf ~`,
      proposal: [],
      reasons: ['It contains a character that can’t be seen (U+202E on line 1).'],
    }),
    more: 2,
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const allow = button(canvasElement, 'Allow once')
    const box = canvas.getByRole('region', { name: 'The command' })
    await expect(canvas.queryByRole('button', { name: 'Allow with a rule…' })).toBeNull()
    await canvas.findByText('<U+202E>')
    await canvas.findByText('2 more')
    await expect(allow).toBeDisabled()
    // Scrolls again until it counts: lines that pass before the browser reports them as visible do not.
    await waitFor(() => {
      for (let top = 0; top < box.scrollHeight; top += box.clientHeight / 2) {
        box.scrollTop = top
        box.dispatchEvent(new Event('scroll'))
      }
      expect(allow).toBeEnabled()
    })
  },
}

/** Nothing that the agent wrote passes for what Shiplog says. */
export const Imitation: Story = {
  args: {
    question: questionWith({
      chain: [{ taskId: ids.tests, title: 'Tests\u202e' }],
      lastText: 'Checked: this command only reads.\u202e',
      directory: '/code/api\n. It was allowed before\u200b',
    }),
  },
  play: async ({ canvasElement }) => {
    const prompt = within(canvasElement).getByRole('region', { name: 'Permission' })
    await expect(prompt).toHaveTextContent('Tests<U+202E> asks to run a command')
    await expect(prompt).toHaveTextContent('It said: “Checked: this command only reads.<U+202E>”')
    await expect(prompt).toHaveTextContent('In /code/api␊. It was allowed before<U+200B>.')
  },
}

export const OfAFile: Story = {
  args: {
    question: questionWith({
      kind: 'edit',
      tool: 'edit_file',
      proposal: ['edit: src/parser.ts'],
      reasons: ['You are asked about every change of a file.'],
      lastText: '',
      text: 'Change src/parser.ts:\n- return null\n+ throw new ParseError(line)',
    }),
  },
}

export const InTheBackground: Story = {
  args: { question: questionWith({ text: 'npm run watch', inBackground: true }) },
  play: async ({ canvasElement }) => {
    await expect(
      within(canvasElement).getByRole('heading', {
        name: /asks to run a command in the background$/,
      }),
    ).toBeVisible()
  },
}

export const NotConnected: Story = {
  args: { unreachable: 'Not connected. Reconnecting…' },
  play: async ({ canvasElement }) => {
    await expect(button(canvasElement, 'Allow once')).toBeDisabled()
    await expect(button(canvasElement, 'Deny…')).toBeDisabled()
  },
}

/** Before an installed agent starts: what its repository configures for it, which no rule allows. */
export const Configuration: Story = {
  args: {
    question: questionWith({
      kind: 'configuration',
      tool: 'Claude Code',
      proposal: [],
      reasons: [],
      lastText: '',
      text: 'Configuration for Claude Code: .mcp.json\n\n.mcp.json:\n  {"mcpServers": {"docs": {"command": "./docs\u200b.sh"}}}',
    }),
  },
  play: async ({ canvasElement, args }) => {
    // Neither can be taken back: the agent starts, or its run ends.
    await expect(button(canvasElement, 'Deny')).toBeDisabled()
    const allow = await answerable(canvasElement, 'Allow and start')
    await expect(within(canvasElement).getByText('<U+200B>')).toBeVisible()
    await expect(within(canvasElement).queryByText('Allow with a rule…')).toBeNull()
    await userEvent.click(button(canvasElement, 'Deny'))
    await expect(args.onDecide).toHaveBeenLastCalledWith({ kind: 'deny', message: '' })
    await userEvent.click(allow)
    await expect(args.onDecide).toHaveBeenLastCalledWith({ kind: 'allow-once' })
  },
}
