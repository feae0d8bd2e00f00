import { useMemo } from 'react'
import { useStores } from '../../store/hooks.ts'
import { type Actions, createActions } from './actions.ts'

export function useActions(): Actions {
  const stores = useStores()
  return useMemo(() => createActions(stores), [stores])
}
