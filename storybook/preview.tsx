import type { Preview } from '@storybook/react-vite'
import { configure } from 'storybook/test'
import { toast } from '../src/renderer/components/primitives/index.ts'
import '../src/renderer/styles/theme.css'
import { withSurroundings } from './decorators.tsx'
import { StoryTheme } from './story-theme.ts'

// `findBy…` and `waitFor` give up after this long. Their own second is too short on a busy machine.
configure({ asyncUtilTimeout: 30_000 })

const preview: Preview = {
  parameters: {
    layout: 'fullscreen',
    controls: { expanded: true },
    a11y: {
      // A story that breaks an accessibility rule fails its test.
      test: 'error',
      // One place is enough for a rule that holds: listing all of them takes as long as the check.
      options: { resultTypes: ['violations'] },
      config: {
        rules: [
          // It looks for `!important` in style attributes, which React omits, and takes a seventh of the check's time.
          { id: 'avoid-inline-spacing', enabled: false },
          // It loads every style sheet first, and nothing here plays.
          { id: 'no-autoplay-audio', enabled: false },
          // Base UI's guards take the focus only to pass it on. The check accepts them beside an open dialog, but not
          // beside one that is still fading out, which depends on how fast the machine is.
          {
            id: 'aria-hidden-focus',
            selector: '[aria-hidden="true"]:not([data-base-ui-focus-guard])',
          },
        ],
      },
    },
  },
  globalTypes: {
    theme: {
      description: 'Theme',
      toolbar: {
        icon: 'contrast',
        items: [
          { value: 'system', title: 'Match system' },
          { value: 'light', title: 'Light' },
          { value: 'dark', title: 'Dark' },
        ],
        dynamicTitle: true,
      },
    },
  },
  // Tests look the same on every machine.
  initialGlobals: { theme: 'light' },
  // Stories share a page, and a toast of an earlier one is shown again by the next: its "Undo" would be found beside the
  // story's own.
  beforeEach: () => {
    toast.dismiss()
  },
  decorators: [
    withSurroundings,
    (Story, { globals }) => {
      if (globals.theme === 'system') delete document.documentElement.dataset.theme
      else document.documentElement.dataset.theme = globals.theme
      return (
        <StoryTheme value={globals.theme === 'dark' ? 'dark' : 'light'}>
          <Story />
        </StoryTheme>
      )
    },
  ],
}

export default preview
