/** Makes `import 'electron'` and `require('electron')` give the stand-in, in this process alone. */
import { registerHooks } from 'node:module'

const standin = new URL('./electron.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'electron' || specifier === 'electron/main') {
      return { url: standin, shortCircuit: true }
    }
    return next(specifier, context)
  },
})

// What a program may ask to find out where it runs.
Object.defineProperty(process.versions, 'electron', { value: '45.4.1' })
Object.assign(process, { type: 'browser', defaultApp: true })
