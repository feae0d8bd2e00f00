import { useState } from 'react'
import type { PermissionScope, PermissionSettings } from '../../../shared/agents/permissions.ts'
import type { Problem } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { useRequest } from '../../store/use-request.ts'

interface PermissionSettingsView {
  /** With the unsaved changes; null while they load. */
  settings: PermissionSettings | null
  isChanged: boolean
  problem: Problem | null
  reload(): void
  change(settings: PermissionSettings): void
  /** Rejects with the host's error about a rule. */
  save(): Promise<void>
  discard(): void
}

/** The settings of one scope with their unsaved changes. The scope must stay the same. */
export function usePermissionSettings(scope: PermissionScope): PermissionSettingsView {
  const { client } = useStores()
  const { answer, problem, reload } = useRequest(
    () => client.permissions.settings({ scope }),
    'read the permissions',
  )
  const [saved, setSaved] = useState<PermissionSettings | null>(null)
  const stored = saved ?? answer
  const [edited, setEdited] = useState<PermissionSettings | null>(null)
  return {
    settings: edited ?? stored,
    isChanged: edited !== null && JSON.stringify(edited) !== JSON.stringify(stored),
    problem,
    reload,
    change: setEdited,
    async save() {
      if (edited === null || stored === null) return
      const settings = { ...edited, rules: edited.rules.filter(({ rule }) => rule.trim() !== '') }
      setSaved(await client.permissions.setSettings({ scope, settings, before: stored }))
      setEdited(null)
    },
    discard: () => setEdited(null),
  }
}
