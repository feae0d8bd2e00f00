import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

export default defineConfig({
  main: {
    build: {
      sourcemap: true,
      // Bundled, a command takes half the time to start: these are 200 files of node_modules. What is not
      // named here stays an import, so `open` finds the script beside it.
      externalizeDeps: {
        exclude: [
          '@leeoniya/ufuzzy',
          '@orpc/client',
          '@orpc/contract',
          '@orpc/server',
          'commander',
          'diff',
          'env-paths',
          'image-size',
          'pretty-bytes',
          'pretty-ms',
          'rotating-file-stream',
          'string-width',
          'unbash',
          'vfile',
          'vfile-matter',
          'write-file-atomic',
          'yaml',
          'zod',
        ],
      },
      rolldownOptions: {
        // Two ways in: Electron runs index.js, Node runs cli.js; and what runs in a thread or process of its own.
        input: {
          index: 'src/main/index.ts',
          cli: 'src/main/cli.ts',
          'search-worker': 'src/main/search/index/worker.ts',
          'import-worker': 'src/main/imports/stage/worker.ts',
          'launcher-process': 'src/main/processes/launcher/launcher-process.ts',
        },
        // A thread's file is found beside the file that starts it.
        output: { chunkFileNames: '[name]-[hash].js' },
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
