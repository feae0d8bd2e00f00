/** The Electron entry. Nothing here may await `app.whenReady()`: Electron is ready only after this file. */
import { join } from 'node:path'
import { resolveDataDir } from './data-dir.ts'
import { dataDirFlag } from './hosts/desktop/arguments.ts'
import { exitWithError, startDesktop } from './hosts/desktop/index.ts'
import { version } from './version.ts'

try {
  startDesktop({
    dataDir: resolveDataDir({ flag: dataDirFlag(process.argv), env: process.env }),
    rendererDir: join(import.meta.dirname, '../renderer'),
    preloadFile: join(import.meta.dirname, '../preload/index.cjs'),
    version,
    async openServices(options) {
      // Loaded when it is needed: a second instance only says so to the first, and goes.
      const { openShiplog } = await import('./composition/shiplog.ts')
      return openShiplog(options)
    },
  })
} catch (error) {
  exitWithError(error)
}
