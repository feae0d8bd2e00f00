import { useAppInfo } from '../../store/hooks.ts'

/** Browsers keep Ctrl+N for a window of their own, so there one letter does it. */
export function useNewAgentKeys(): 'Mod+N' | 'n' {
  const { info } = useAppInfo()
  return info?.host === 'desktop' ? 'Mod+N' : 'n'
}
