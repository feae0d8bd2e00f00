/** The handlers of models and their providers. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const modelHandlers = ({ os }: Calls, { models }: RouterDependencies) => ({
  providers: os.models.providers.handler(() => ({
    providers: models.providers.list(),
    ...models.providers.defaults(),
  })),
  saveProvider: os.models.saveProvider.handler(async ({ input: { key, ...entry } }) => {
    await models.providers.save(entry, key)
    return {}
  }),
  removeProvider: os.models.removeProvider.handler(async ({ input }) => {
    await models.providers.remove(input.name)
    return {}
  }),
  setDefaults: os.models.setDefaults.handler(async ({ input }) => {
    await models.providers.setDefaults(input)
    return {}
  }),
  list: os.models.list.handler(async ({ input }) => ({
    models: await models.list(input.provider),
  })),
  priced: os.models.priced.handler(async ({ input }) => ({
    priced: await models.isPriced(input.model),
  })),
  test: os.models.test.handler(({ input }) => models.test(input)),
})
