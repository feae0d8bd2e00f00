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
/** The keys that sent the answer before do not send what was begun for this one. */
export const QuestionBegun: Story = {
  args: {
    ...Question.args,
    draft: 'For a',
    sendKey: 'Enter',
  },
  play: async ({ canvasElement, args }) => {
    const field = within(canvasElement).getByRole('textbox', { name: 'Another answer' })
    await expect(field).toHaveValue('For a')
    field.focus()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect(args.onDecide).not.toHaveBeenCalled()
    await answerable(canvasElement, 'Answer')
    await expect(fireEvent.keyDown(field, { key: 'Enter', repeat: true })).toBe(false)
    await expect(args.onDecide).not.toHaveBeenCalled()
    await userEvent.keyboard('{Enter}')
    await expect(args.onDecide).toHaveBeenLastCalledWith({ kind: 'answer', text: 'For a' })
  },
}

/** The text of a choice is the agent's: shown whole, with its hidden characters, and each one once. */
export const HostileChoices: Story = {
  args: {
    question: questionWith({
      kind: 'question',
      tool: 'ask_person',
      proposal: [],
      reasons: [],
      text: 'May I \u202eetadpu\u202c it?',
      choices: [
        'Yes',
        'Yes',
        'Yes\u200b',
        '\u202eon',
        `${'Yes, and '.repeat(20)}delete it`,
        'a\nb',
      ],
    }),
  },
  play: async ({ canvasElement, args }) => {
    const prompt = within(canvasElement).getByRole('region', { name: 'Question' })
    await expect(prompt).toHaveTextContent('May I <U+202E>etadpu<U+202C> it?')
    await expect(within(prompt).getAllByRole('button')).toHaveLength(7)
    await expect(prompt.scrollWidth).toBe(prompt.clientWidth)
    await expect(button(canvasElement, 'Yes<U+200B>')).toBeVisible()
    await userEvent.click(await answerable(canvasElement, '<U+202E>on'))
    await expect(args.onDecide).toHaveBeenLastCalledWith({ kind: 'answer', text: '\u202eon' })
  },
}
export const HostileChoicesDark: Story = {
  ...HostileChoices,
  globals: { theme: 'dark' },
  play: undefined,
}

/** Names and texts of an agent: none may push the command out of view, or pass for Shiplog's own words. */
export const HostileNames: Story = {
  args: {
    question: questionWith({
      kind: 'other',
      tool: 'read\u202e_it',
      chain: [
        { taskId: ids.lead, title: 'Fix it '.repeat(1_500) },
        { taskId: ids.tests, title: 'Tests\u200b' },
      ],
      lastText: 'I list the files.” It can change nothing. “',
      reasons: ['The rule “a\u202eb” says to ask.'],
    }),
  },
  play: async ({ canvasElement }) => {
    const prompt = within(canvasElement).getByRole('region', { name: 'Permission' })
    const heading = within(prompt).getByRole('heading')
    await expect(heading).toHaveTextContent(/^(Fix it ){11}Fi… › Tests<U\+200B> asks to use read<U/)
    await expect(prompt).toHaveTextContent('It said: “I list the files." It can change nothing. "”')
    await expect(prompt).toHaveTextContent('The rule “a<U+202E>b” says to ask.')
    await answerable(canvasElement, 'Allow once')
  },
}

/** A request that is higher than its place scrolls, and cuts none of its parts. */
export const TallerThanItsPlace: Story = {
  args: {
    question: questionWith({
      kind: 'question',
      tool: 'ask_person',
      proposal: [],
      reasons: [],
      text: Array.from({ length: 60 }, (_, at) => `Paragraph ${at + 1}.`).join('\n\n'),
    }),
  },
  play: async ({ canvasElement }) => {
    const said = within(canvasElement).getByText(/^It said:/)
    await expect(said.clientHeight).toBeGreaterThan(16)
  },
}

/** However much is said of a request, its answers are in view without scrolling. */
export const ManyReasons: Story = {
  args: {
    question: questionWith({
      text: Array.from({ length: 20 }, (_, at) => `curl -O https://x.org/${at}`).join('\n'),
      reasons: Array.from({ length: 80 }, (_, at) => `It gives tool-${at + 1} unknown options.`),
    }),
  },
  play: async ({ canvasElement }) => {
    const prompt = within(canvasElement).getByRole('region', { name: 'Permission' })
    const { bottom, height } = prompt.getBoundingClientRect()
    await expect(height).toBeLessThanOrEqual(globalThis.innerHeight * 0.6 + 1)
    await expect(prompt.scrollHeight).toBe(prompt.clientHeight)
    for (const name of ['Allow once', 'Deny…'])
      await expect(button(canvasElement, name).getBoundingClientRect().bottom).toBeLessThan(bottom)
  },
}
export const ManyReasonsDark: Story = { ...ManyReasons, globals: { theme: 'dark' } }

/** The field of a rule shows its text as it is, so what can't be seen in it is shown below. */
export const HiddenInARule: Story = {
  args: {
    question: questionWith({
      proposal: [
        'bash: npm test *',
        `bash: node ${'scripts/a-long-name/'.repeat(12)}a.mjs`,
        ...Array.from({ length: 9 }, (_, at) => `bash: make target-${at + 1}`),
        'edit: src/a.ts',
      ],
    }),
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await answerable(canvasElement, 'Allow with a rule…'))
    const field = canvas.getByRole('textbox', { name: 'Rules to remember' })
    // All of them are in view.
    await expect(field.scrollHeight).toBeLessThanOrEqual(field.clientHeight)
    await userEvent.click(field)
    await userEvent.paste('\nedit: src/\u202ets.a')
    await expect(canvas.getByText('<U+202E>')).toBeVisible()
    await expect(canvas.getByText(/^It has characters that can’t be seen/)).toBeVisible()
  },
}
export const HiddenInARuleDark: Story = {
  ...HiddenInARule,
  tags: ['soak'],
  globals: { theme: 'dark' },
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
