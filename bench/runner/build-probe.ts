/** Bundles the probe as it is shipped. Run from its TypeScript sources, Node needs about 45 MB to strip the types. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'

/** Returns the path of the file to run. */
export async function buildProbe(dir: string): Promise<string> {
  const outDir = join(dir, 'built')
  await build({
    root: join(import.meta.dirname, '../..'),
    configFile: false,
    logLevel: 'error',
    // Bundles all dependencies, as electron.vite.config.ts does.
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir,
      target: 'node22',
      rollupOptions: {
        input: {
          probe: 'bench/runner/probe.ts',
          // A separate program, which the app loads from the same folder.
          'import-worker': 'src/main/imports/stage/worker.ts',
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  // Without it, Node first compiles each file as CommonJS, which it does not in the app.
  await writeFile(join(outDir, 'package.json'), '{ "type": "module" }')
  return join(outDir, 'probe.js')
}
