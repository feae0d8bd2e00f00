/** What every story stands in: a clock that stands still, and tooltips. */
import type { Decorator } from '@storybook/react-vite'
import {
  ClockContext,
  stoppedClock,
  TooltipProvider,
} from '../src/renderer/components/primitives/index.ts'
import { fixtureNowMs } from '../tests/fixtures/entries/tasks.ts'

const clock = stoppedClock(fixtureNowMs)

export const withSurroundings: Decorator = (Story) => (
  <ClockContext value={clock}>
    <TooltipProvider>
      <Story />
    </TooltipProvider>
  </ClockContext>
)

// Styles and not classes: the theme makes only the classes that the renderer uses.

/** As wide as the conversation's column. */
export const inColumn: Decorator = (Story) => (
  <div style={{ maxWidth: 760, margin: '0 auto', padding: 24 }}>
    <Story />
  </div>
)

/** As large as the window. */
export const inWindow: Decorator = (Story) => (
  <div style={{ display: 'flex', flexDirection: 'column', height: '100vh', minHeight: 0 }}>
    <Story />
  </div>
)
