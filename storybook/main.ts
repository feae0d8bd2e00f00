import type { StorybookConfig } from '@storybook/react-vite'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { mergeConfig } from 'vite'

const config: StorybookConfig = {
  framework: '@storybook/react-vite',
  stories: ['../src/renderer/**/*.stories.tsx'],
  addons: ['@storybook/addon-vitest', '@storybook/addon-a11y'],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  viteFinal: (vite) =>
    mergeConfig(vite, {
      plugins: [react(), tailwindcss()],
      // Known from the start: a dependency that Vite first meets in the middle of a run reloads the
      // page under the story that is being tested.
      optimizeDeps: { entries: ['src/renderer/**/*.{ts,tsx}', 'storybook/preview.tsx'] },
    }),
}

export default config
