import type { Preview } from '@storybook/react-vite'

const preview: Preview = {
  parameters: {
    layout: 'fullscreen',
    controls: { expanded: true },
    // A story that breaks an accessibility rule fails its test.
    a11y: { test: 'error' },
  },
}

export default preview
