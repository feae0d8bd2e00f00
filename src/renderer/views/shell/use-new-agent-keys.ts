import { useAppInfo } from '../../store/hooks.ts'

/** The keys for a new agent. Browsers reserve Ctrl+N, so a page uses a single letter. */
export function useNewAgentKeys(): 'Mod+N' | 'n' {
  const { info } = useAppInfo()
  return info?.host === 'desktop' ? 'Mod+N' : 'n'
}
