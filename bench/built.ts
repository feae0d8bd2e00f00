/** The probe as users have the program: bundled, its types gone. From the sources, Node needs some 45 MB to take them out. */
import { join } from 'node:path'
import { build } from 'vite'

/** Gives the file to run. */
export async function buildProbe(dir: string): Promise<string> {
  const outDir = join(dir, 'built')
  await build({
    root: join(import.meta.dirname, '..'),
    configFile: false,
    logLevel: 'error',
    // All in it, as electron.vite.config.ts has it.
    ssr: { noExternal: true },
    build: {
      ...{ ssr: true, outDir, target: 'node22' },
      rollupOptions: {
        input: {
          probe: 'bench/probe.ts',
          // A program of its own, which is looked for beside the others.
          'import-worker': 'src/main/imports/stage/worker.ts',
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  return join(outDir, 'probe.js')
}
