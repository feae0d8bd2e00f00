import { useMemo } from 'react'
import { type Need, needsYou } from '../../store/attention/needs-you.ts'
import { useLedger, usePreference, useQuestions } from '../../store/hooks.ts'

/** Everything that needs the user, in the order of the list. */
export function useNeedsYou(): Need[] {
  const view = useLedger((whole) => whole)
  const questions = useQuestions()
  const seen = usePreference('seen')
  const seenSince = usePreference('seenSince')
  return useMemo(() => {
    const { ledger, activity } = view
    return needsYou({
      tasks: ledger.tasks,
      activity,
      questions,
      seen: { seen, seenSince },
    })
  }, [view, questions, seen, seenSince])
}
