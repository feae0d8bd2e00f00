import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { Markdown } from './markdown.tsx'

const meta: Meta<typeof Markdown> = {
  title: 'Text/Markdown',
  component: Markdown,
  decorators: [inColumn],
}
export default meta
type Story = StoryObj<typeof Markdown>

const everything = `# What was done

Lists and records accept a **trailing comma**; *nothing else* changed. See \`src/parser.ts\` and
[the issue](https://example.com/issues/41).

## How

1. One helper for both loops
2. Tests:
   - six new cases
   - the old ones as they were
3. ~~A new token~~ not needed

- [x] parser
- [ ] changelog

> The tokenizer keeps positions already, so the messages got better for free.

\`\`\`ts
// One helper for both loops.
export function parseItems<Item>(tokens: TokenStream, end: string): Item[] {
  const items: Item[] = []
  while (!tokens.at(end)) items.push(parseValue(tokens) as Item)
  return items
}
\`\`\`

\`\`\`diff
-  if (!tokens.at(']')) tokens.expect(',')
+  if (tokens.at(']')) break
\`\`\`

| Case | Before | Now |
| :--- | :---: | ---: |
| \`[1, 2,]\` | error | 2 items |

---

### Left open

Nothing.[^1]

[^1]: Apart from the changelog.
`

export const Everything: Story = {
  args: { text: everything },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const title = await canvas.findByRole('heading', { level: 3, name: 'What was done' })
    await expect(title).toBeVisible()
    await expect(canvas.getByRole('link', { name: 'the issue' })).toHaveAttribute(
      'href',
      'https://example.com/issues/41',
    )
    // Waits for the worker's result.
    const keyword = await canvas.findByText('export')
    await expect(keyword.style.color).toContain('keyword')
  },
}
export const EverythingDark: Story = { args: { text: everything }, globals: { theme: 'dark' } }
/** Cut in the middle of a table and a fence: open syntax is rendered as if it were complete. */
export const Streaming: Story = {
  args: { text: everything.slice(0, 720), streaming: true },
}
export const RightToLeft: Story = {
  args: { text: 'שלום עולם\n\n- פריט ראשון\n- פריט שני\n\nAnd back to the left.' },
}
/** Direction marks have no effect, and invisible characters are shown (V4). */
export const HiddenCharacters: Story = {
  args: { text: 'Run \u202egnp.exe, `a\u200bb` and\r\nthis:\n\n```\nrm \u2066x\n```\n\n👩‍💻' },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByText(/Run <U\+202E>gnp\.exe/)
    await expect(canvasElement).toHaveTextContent('a<U+200B>b')
    await expect(canvasElement).toHaveTextContent('rm <U+2066>x')
    await expect(canvasElement).toHaveTextContent('👩‍💻')
    await expect(canvasElement.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069␍]/)
  },
}
export const Empty: Story = { args: { text: '' } }
