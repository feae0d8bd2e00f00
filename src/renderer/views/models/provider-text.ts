import type { ProviderKey, ProviderState } from '../../../shared/agents/provider-settings.ts'
import { assertNever } from '../../../shared/assert-never.ts'

const titles: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
}

export const providerTitle = ({ name, isOwn }: Pick<ProviderState, 'name' | 'isOwn'>): string =>
  (isOwn ? titles[name] : undefined) ?? name

/** Where a provider's key comes from, as one clause. */
export function keyText(key: ProviderKey, isOwn: boolean): string {
  switch (key.from) {
    case 'stored':
      return key.where === 'keychain'
        ? 'Key in the system keychain'
        : 'Key in a file only you can read'
    case 'environment':
      return `Key from ${key.variable}`
    case 'unreadable':
      return `Key can’t be read: ${key.why}`
    case 'none':
      if (key.offered) return `${key.offered} is set and not used yet`
      return isOwn ? 'No key' : 'Used without a key'
    default:
      return assertNever(key)
  }
}
