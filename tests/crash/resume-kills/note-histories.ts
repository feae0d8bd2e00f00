/** Loaded with `node --import`: Shiplog then finds the program that notes histories in the place of the scripted one. */
import { registerHooks } from 'node:module'

const noting = new URL('noting-program.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const isProgram = specifier.endsWith('/scripted-program.ts')
    const isForDriver = context.parentURL?.endsWith('/src/main/agents/scripted/driver.ts') ?? false
    return next(isProgram && isForDriver ? noting : specifier, context)
  },
})
