import { usePreference } from '../../store/hooks.ts'
import { useKeys } from '../shell/use-keys.ts'

/** Lists the keys that a composer handles while something is written in it. */
export function useComposerKeys(): void {
  const sendKey = usePreference('sendKey')
  useKeys([
    { keys: sendKey, label: 'Send', group: 'Agent' },
    { keys: 'ArrowUp', label: 'Earlier prompt (at the start of the text)', group: 'Agent' },
  ])
}
