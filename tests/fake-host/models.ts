/** The answers about models: real rules over providers that are kept in memory. What a provider says is for the test. */
import type { ModelRef } from '../../src/shared/agents/model-refs.ts'
import { invalid, refused } from '../../src/shared/failure.ts'
import { providersInMemory } from '../fixtures/providers.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'
import type { FakeModelOptions } from './options.ts'

export function modelAnswers(os: Implementer, { given }: Pick<Memory, 'given'>) {
  const options = given.models ?? {}
  const providers = providersInMemory(options)
  return {
    providers: os.models.providers.handler(() => ({
      providers: providers.list(),
      ...providers.defaults(),
    })),
    saveProvider: os.models.saveProvider.handler(async ({ input: { key, ...entry } }) => {
      await providers.save(entry, key)
      return {}
    }),
    removeProvider: os.models.removeProvider.handler(async ({ input }) => {
      await providers.remove(input.name)
      return {}
    }),
    setDefaults: os.models.setDefaults.handler(async ({ input }) => {
      await providers.setDefaults(input)
      return {}
    }),
    list: os.models.list.handler(({ input }) => ({
      models:
        options.lists?.[input.provider] ??
        refused('provider-answer', `${input.provider} can’t be reached: connection refused.`),
    })),
    priced: os.models.priced.handler(({ input }) => {
      const ref = providers.resolve(input.model)
      return { priced: ref && ref.baseUrl === undefined }
    }),
    test: os.models.test.handler(
      () =>
        options.test ?? {
          outcome: 'ok',
          answer: 'ready',
          ms: 820,
          callsTools: true,
          contextTokens: null,
        },
    ),
  }
}

/** As the app resolves `PROVIDER/MODEL`. Throws FailureError for a name that it does not know. */
export const modelRefOf = (options: FakeModelOptions | undefined, name: string): ModelRef =>
  providersInMemory(options ?? {}).resolve(name) ?? invalid('model', `There is no model "${name}".`)
