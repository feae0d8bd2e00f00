/** The providers of models: the built-in ones, those that the user added, and their keys. */

import {
  type ModelProvider,
  type ModelRef,
  modelProviderSchema,
  parseModelName,
} from '../../../shared/agents/model-refs.ts'
import {
  type ModelDefaults,
  type ProviderEntry,
  type ProviderKey,
  type ProviderState,
  providerEntrySchema,
  providerFieldNames,
  providersMax,
} from '../../../shared/agents/provider-settings.ts'
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import { FailureError, invalid } from '../../../shared/failure.ts'
import { ownBaseUrls } from '../model/base-urls.ts'
import { keyVariables, type ProviderKeys } from '../model/keys.ts'
import { refuseSettings } from '../refuse-settings.ts'
import type { KeyStore } from './key-store.ts'
import type { ProviderStore } from './provider-store.ts'

export interface Providers extends ProviderKeys {
  list(): ProviderState[]
  /**
   * Saves a provider and its key; null deletes the key, undefined keeps it. Throws FailureError with the invalid field.
   * Durable when it resolves.
   */
  save(entry: ProviderEntry, key: string | null | undefined): Promise<void>
  /** Removes a provider and its key. Throws FailureError: not-found. */
  remove(name: string): Promise<void>
  defaults(): ModelDefaults
  /** Absent fields are unchanged. Durable when it resolves. Throws FailureError for a model of an unknown provider. */
  setDefaults(change: Partial<ModelDefaults>): Promise<void>
  /** Parses `PROVIDER/MODEL` or `NAME/MODEL`; null if there is no such provider. */
  resolve(text: string): ModelRef | null
  /** Returns the context window that the user set for the models at this address; null if none is set. */
  contextTokens(ref: Pick<ModelRef, 'provider' | 'baseUrl'>): number | null
}

interface ProvidersDependencies {
  store: ProviderStore
  keys: KeyStore
  env: NodeJS.ProcessEnv
  /**
   * Whether the usual variables of the environment are used without asking: true for a command, because the user names
   * the model in their own terminal. The app asks in Settings.
   */
  usesEnvironment: boolean
  /** Called with each key before it is used, so that it is masked in all records (K3). */
  learn: (secrets: { name: string; value: string }[]) => void
  /** Reports one sentence to the user. */
  onWarning: (text: string) => void
}

export function createProviders(deps: ProvidersDependencies): Providers {
  const { store, keys, env, usesEnvironment, learn } = deps
  /** Serializes the changes. */
  const mutex = createKeyedMutex()
  for (const { lost } of [store, keys]) if (lost !== null) deps.onWarning(lost)
  for (const name of keys.names()) learnKey(name)

  function learnKey(name: string): void {
    const found = keys.find(name)
    if (found.kind === 'found') learn([{ name: secretNameOf(name), value: found.key }])
  }

  /** Returns all providers. Those with a fixed address are always present. */
  function allProviders(): ProviderEntry[] {
    const entries = store.entries()
    const own = ownProviders.map(
      (kind) => entries.find(({ name }) => name === kind) ?? { name: kind, kind },
    )
    return [...own, ...entries.filter(({ name }) => !isOwn(name))]
  }

  const variableInEnvironment = (kind: ModelProvider): string | null =>
    keyVariables[kind].find((name) => env[name]?.trim()) ?? null

  function keyOf(entry: ProviderEntry): ProviderKey {
    const found = keys.find(entry.name)
    if (found.kind === 'found') return { from: 'stored', where: found.where }
    if (found.kind === 'unreadable') return { from: 'unreadable', why: found.why }
    const variable =
      entry.keyVariable ?? (isOwn(entry.name) ? variableInEnvironment(entry.kind) : null)
    const isSet = variable !== null && !!env[variable]?.trim()
    if (isSet && (usesEnvironment || entry.keyVariable === variable))
      return { from: 'environment', variable }
    return { from: 'none', offered: isSet ? variable : null }
  }

  /** Resolves with the key of an origin. It is sent to no other, even if the provider's address changes later. */
  async function get({ provider, baseUrl, keyEnv }: Parameters<ProviderKeys['get']>[0]) {
    const origin = originOf(baseUrl ?? ownBaseUrls[provider])
    if (origin === null) return null
    if (keyEnv !== undefined) {
      const key = env[keyEnv]?.trim()
      if (!key || !isConfidential(origin)) return null
      learn([{ name: keyEnv, value: key }])
      return key
    }
    const sameOrigin = allProviders().filter(
      (one) => one.kind === provider && originOf(baseUrlOf(one)) === origin,
    )
    // Several providers with their own keys may share an origin: the one with exactly this address is preferred.
    const url = baseUrl ?? ownBaseUrls[provider]
    const entry = sameOrigin.find((one) => baseUrlOf(one) === url) ?? sameOrigin[0]
    if (!entry || !isConfidential(origin)) return null
    const found = keys.find(entry.name)
    if (found.kind === 'found') return found.origin === origin ? found.key : null
    const key = keyOf(entry)
    return key.from === 'environment' ? (env[key.variable]?.trim() ?? null) : null
  }

  async function save(given: ProviderEntry, key: string | null | undefined): Promise<void> {
    const parsed = providerEntrySchema.safeParse(given)
    if (!parsed.success) return refuseSettings(parsed.error, providerFieldNames)
    const entry = parsed.data
    const { name, kind, baseUrl, keyVariable } = entry
    if (modelProviderSchema.safeParse(name).success && name !== kind)
      invalid('name', `“${name}” is the name of another kind of provider.`)
    if (isOwn(name) && baseUrl)
      invalid('baseUrl', `${name} has an address of its own. Add another provider for this one.`)
    const url = baseUrlOf(entry)
    const origin = originOf(url)
    if (url === null || origin === null)
      return invalid('baseUrl', 'An address is needed, such as http://127.0.0.1:11434/v1.')
    if ((key || keyVariable) && !isConfidential(url))
      invalid('baseUrl', 'A key is sent over https only, or to this machine: use https, or no key.')
    if (keyVariable && !env[keyVariable]?.trim())
      invalid('keyVariable', `The environment that Shiplog was started in has no ${keyVariable}.`)
    const others = store.entries().filter((one) => one.name !== name)
    if (others.length >= providersMax)
      invalid('name', `There are ${providersMax} providers already. Remove one first.`)
    const before = store.entries().find((one) => one.name === name)
    const moved = before && originOf(baseUrlOf(before)) !== origin
    // A key that was entered for one address is not sent to another.
    if (key !== undefined || moved) await keys.set(name, key ? { key, origin } : null)
    if (key) learnKey(name)
    await store.save({ entries: [...others, entry] })
  }

  async function remove(name: string): Promise<void> {
    if (!isOwn(name) && !store.entries().some((one) => one.name === name))
      throw new FailureError({ kind: 'not-found', what: 'provider', id: name })
    await keys.set(name, null)
    const entries = store.entries().filter((one) => one.name !== name)
    await store.save({ entries })
  }

  return {
    get,
    list: () =>
      allProviders().map((entry) => ({
        name: entry.name,
        kind: entry.kind,
        baseUrl: baseUrlOf(entry),
        isOwn: isOwn(entry.name),
        key: keyOf(entry),
        contextTokens: entry.contextTokens ?? null,
      })),
    save: (entry, key) => mutex('all', () => save(entry, key)),
    remove: (name) => mutex('all', () => remove(name)),
    defaults: store.defaults,
    setDefaults: (change) => mutex('all', () => setDefaults(change)),
    resolve,
    contextTokens({ provider, baseUrl }) {
      const url = baseUrl ?? ownBaseUrls[provider]
      const entry = allProviders().find((one) => one.kind === provider && baseUrlOf(one) === url)
      return entry?.contextTokens ?? null
    },
  }

  async function setDefaults(change: Partial<ModelDefaults>): Promise<void> {
    for (const [field, model] of Object.entries(change))
      if (model && resolve(model) === null)
        invalid(field, `There is no provider for “${model}”: name one, such as anthropic/….`)
    await store.save({ defaults: { ...store.defaults(), ...definedOf(change) } })
  }

  function resolve(text: string): ModelRef | null {
    const slash = text.indexOf('/')
    const [name, model] = [text.slice(0, slash), text.slice(slash + 1).trim()]
    const entry = allProviders().find((one) => one.name === name)
    // The address of such a server is given separately, by `--base-url`.
    if (!entry) return parseModelName(text)
    if (model === '') return null
    const { kind, baseUrl } = entry
    return { provider: kind, model, ...(baseUrl ? { baseUrl } : {}) }
  }
}

/** Omits settings that were not given. */
const definedOf = (change: Partial<ModelDefaults>): Partial<ModelDefaults> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

const ownProviders = modelProviderSchema.options.filter((kind) => ownBaseUrls[kind] !== null)
const isOwn = (name: string): boolean => ownProviders.some((kind) => kind === name)

const baseUrlOf = ({ kind, baseUrl }: ProviderEntry): string | null => baseUrl ?? ownBaseUrls[kind]

const originOf = (url: string | null): string | null => (url === null ? null : new URL(url).origin)

/** The name in the mark of the masked key. */
const secretNameOf = (name: string): string => `${name} key`

function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
