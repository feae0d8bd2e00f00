import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { ImportSourceFound } from '../../../shared/contract/imports.ts'
import { usePreference, useStores } from '../../store/hooks.ts'

/**
 * Sessions of other tools of which none is in the archive: what was left out of an import is not offered again. Null: there
 * is nothing to offer, or it was declined.
 */
export function useFoundSessions(): { found: ImportSourceFound[]; isRunning: boolean } | null {
  const { imports } = useStores()
  const { sources, running } = useStore(imports.store)
  const isDeclined = usePreference('importDeclined')
  useEffect(() => {
    if (!isDeclined) void imports.scan()
  }, [imports, isDeclined])
  const found = sources?.filter(({ imported }) => imported === 0) ?? []
  const isRunning = Boolean(running)
  return isDeclined || (found.length === 0 && !isRunning) ? null : { found, isRunning }
}
