import type { ImportAdapter } from '../adapter.ts'

export const shiplogAdapter: ImportAdapter = {
  tool: 'shiplog',
  async *discover(path, signal) {
    yield* (await import('./discover.ts')).discoverExports(path, signal)
  },
  async *read(session, context) {
    yield* (await import('./read.ts')).readShiplogExport(session, context)
  },
}
