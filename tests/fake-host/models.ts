/** The answers about models: real rules over providers that are kept in memory. What a provider says is for the test. */
import type { FoundKey } from '../../src/main/agents/providers/key-store.ts'
import { createProviders } from '../../src/main/agents/providers/providers.ts'
import type { ModelTest, ProviderEntry } from '../../src/shared/agents/provider-settings.ts'
import { refused } from '../../src/shared/failure.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

export interface FakeModelOptions {
  entries?: ProviderEntry[]
  /** Of the process that Shiplog runs in. */
  env?: Record<string, string>
  defaultModel?: string
  /** By provider; one that is not here can't be reached. */
  lists?: Record<string, string[]>
  test?: ModelTest
}

export function modelAnswers(os: Implementer, { given }: Pick<Memory, 'given'>) {
  const options = given.models ?? {}
  let kept = {
    entries: options.entries ?? [],
    defaultModel: options.defaultModel ?? null,
  }
  const keys = new Map<string, { key: string; origin: string }>()
  const find = (name: string): FoundKey => {
    const found = keys.get(name)
    return found ? { kind: 'found', ...found, where: 'file' } : { kind: 'none' }
  }
  const providers = createProviders({
    store: {
      entries: () => kept.entries,
      defaultModel: () => kept.defaultModel,
      save: async (next) => {
        kept = next
      },
      lost: null,
    },
    keys: {
      find,
      names: () => [...keys.keys()],
      set: async (name, key) => void (key ? keys.set(name, key) : keys.delete(name)),
      lost: null,
    },
    env: options.env ?? {},
    usesEnvironment: false,
    learn: () => undefined,
    onWarning: () => undefined,
  })
  return {
    providers: os.models.providers.handler(() => ({
      providers: providers.list(),
      defaultModel: providers.defaultModel(),
    })),
    saveProvider: os.models.saveProvider.handler(async ({ input: { key, ...entry } }) => {
      await providers.save(entry, key)
      return {}
    }),
    removeProvider: os.models.removeProvider.handler(async ({ input }) => {
      await providers.remove(input.name)
      return {}
    }),
    setDefault: os.models.setDefault.handler(async ({ input }) => {
      await providers.setDefault(input.model)
      return {}
    }),
    list: os.models.list.handler(({ input }) => ({
      models:
        options.lists?.[input.provider] ??
        refused('provider-answer', `${input.provider} can’t be reached: connection refused.`),
    })),
    test: os.models.test.handler(
      () => options.test ?? { outcome: 'ok', answer: 'ready', ms: 820, callsTools: true },
    ),
  }
}
