import type { Meta, StoryObj } from '@storybook/react-vite'
import { DropHint } from './drop-hint.tsx'

const meta: Meta<typeof DropHint> = { title: 'Screens/Drop hint', component: DropHint }
export default meta
type Story = StoryObj<typeof DropHint>

export const Light: Story = {}
export const Dark: Story = { globals: { theme: 'dark' } }
