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
    build: { ssr: 'bench/probe.ts', outDir, target: 'node22' },
  })
  return join(outDir, 'probe.js')
}
