/** The services for models: providers, keys, model lists, context windows and tests. */
import type { ModelRef } from '../../../shared/agents/model-refs.ts'
import type { ModelTest } from '../../../shared/agents/provider-settings.ts'
import { FailureError, invalid } from '../../../shared/failure.ts'
import type { ContextWindow } from '../model/context-window.ts'
import { createContextWindows } from './context-windows.ts'
import { type Keychain, openKeyStore } from './key-store.ts'
import { listModels } from './model-lists.ts'
import { openProviderStore } from './provider-store.ts'
import { createProviders, type Providers } from './providers.ts'

interface ModelSettings {
  providers: Providers
  /** Resolves with the context window that the user set for the model, else the one its server reports. Never rejects. */
  contextWindow(ref: ModelRef): Promise<ContextWindow>
  /** Resolves with the names of a provider's models. Rejects with FailureError if it can't be asked. */
  list(provider: string): Promise<string[]>
  /** Whether a model, as `PROVIDER/MODEL`, has a known price. Null: no provider has that name. */
  isPriced(name: string): Promise<boolean | null>
  /** Makes one short exchange. Rejects with FailureError for a model of an unknown provider. */
  test(asked: {
    model: string
    baseUrl?: string | undefined
    keyEnv?: string | undefined
  }): Promise<ModelTest>
  /** Reports whether any provider can be used, as far as this is known without a request. */
  availability(): { available: boolean; why: string | null }
}

export async function createModelSettings(deps: {
  /** Absolute. */
  files: { providers: string; keys: string }
  keychain: Keychain | null
  env: NodeJS.ProcessEnv
  usesEnvironment: boolean
  /** Masks secrets: a provider's message may repeat its key. */
  mask: (text: string) => string
  learn: (secrets: { name: string; value: string }[]) => void
  onWarning: (text: string) => void
  fetch?: typeof globalThis.fetch
}): Promise<ModelSettings> {
  const { files, keychain } = deps
  const providers = createProviders({
    ...deps,
    store: await openProviderStore(files.providers),
    keys: await openKeyStore(files.keys, keychain),
  })

  const readWindows = () =>
    createContextWindows({ keyOf: providers.get, ...(deps.fetch && { fetch: deps.fetch }) })
  const windows = readWindows()

  async function list(name: string): Promise<string[]> {
    const found = providers.list().find((one) => one.name === name)
    if (!found) throw new FailureError({ kind: 'not-found', what: 'provider', id: name })
    const { kind: provider, baseUrl } = found
    if (baseUrl === null) return invalid('provider', `${name} has no address.`)
    const key = await providers.get({ provider, baseUrl })
    return listModels({ provider, baseUrl, key, ...(deps.fetch && { fetch: deps.fetch }) })
  }

  const test: ModelSettings['test'] = async ({ model, baseUrl, keyEnv }) => {
    const named = providers.resolve(model)
    if (named === null)
      return invalid(
        'model',
        `There is no provider for “${model}”. Name one and its model, such as anthropic/claude-opus-5-5, or set one up in Settings or by shiplog agent setup.`,
      )
    const ref = {
      ...named,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(keyEnv !== undefined && { keyEnv }),
    }
    const { testModel } = await import('../model/test-model.ts')
    const found = await testModel(ref, {
      keys: providers,
      // Without the cache, because the window may have been read before the server had loaded the model.
      contextWindow: readWindows().of,
      ...(deps.fetch && { fetch: deps.fetch }),
    })
    return found.outcome === 'ok'
      ? { ...found, answer: deps.mask(found.answer) }
      : { ...found, why: deps.mask(found.why) }
  }

  return {
    providers,
    async contextWindow(ref) {
      const tokens = providers.contextTokens(ref)
      return tokens === null ? windows.of(ref) : { tokens, tokensMax: null }
    },
    list,
    async isPriced(name) {
      const ref = providers.resolve(name)
      return ref && (await import('../model/pricing.ts')).hasPrice(ref)
    },
    test,
    availability() {
      const isUsable = providers
        .list()
        .some(({ key, isOwn }) => !isOwn || key.from === 'stored' || key.from === 'environment')
      return isUsable
        ? { available: true, why: null }
        : {
            available: false,
            why: 'No model is set up: add a key in Settings, or by shiplog agent setup.',
          }
    },
  }
}
