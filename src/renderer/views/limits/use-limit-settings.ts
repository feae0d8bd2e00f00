import { useState } from 'react'
import type { LimitSettings } from '../../../shared/contract/limits.ts'
import { useStores } from '../../store/hooks.ts'
import { useRequest } from '../../store/use-request.ts'

/** The limits that new trees are started with. `settings` is null while they load. */
export function useLimitSettings() {
  const { client } = useStores()
  const { answer, problem, reload } = useRequest(() => client.limits.settings(), 'read the limits')
  const [saved, setSaved] = useState<LimitSettings | null>(null)
  const save = async (next: LimitSettings) => {
    await client.limits.setSettings(next)
    setSaved(next)
  }
  return { settings: saved ?? answer, problem, save, reload }
}
