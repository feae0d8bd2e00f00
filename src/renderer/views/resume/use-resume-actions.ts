import { useMemo } from 'react'
import { useStores } from '../../store/hooks.ts'
import { createResumeActions, type ResumeActions } from './resume-actions.ts'

export function useResumeActions(): ResumeActions {
  const stores = useStores()
  return useMemo(() => createResumeActions(stores), [stores])
}
