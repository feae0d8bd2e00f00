import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

export default defineConfig({
  main: {
    build: {
      sourcemap: true,
      rolldownOptions: {
        // Two ways in: Electron runs index.js, Node runs cli.js. Packages of `dependencies` stay
        // imports of node_modules, so both run from a checkout and share one copy of each.
        input: { index: 'src/main/index.ts', cli: 'src/main/cli.ts' },
        external: [/^node:/],
      },
    },
  },
  preload: {
    build: {
      // A sandboxed preload is CommonJS, and can require nothing but electron: all else is bundled.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), tailwindcss()],
    build: {
      // The web host serves the same files to whatever browser a person has.
      target: 'es2022',
      // Browsers that know light-dark() and @layer by themselves: rewritten for older ones, the theme
      // could no longer be switched by an attribute.
      cssTarget: ['chrome125', 'edge125', 'firefox125', 'safari17.5'],
      minify: true,
      // Loaded from this very machine: the warning is meant for the web.
      chunkSizeWarningLimit: 4_000,
      rolldownOptions: { input: 'src/renderer/index.html' },
    },
  },
})
