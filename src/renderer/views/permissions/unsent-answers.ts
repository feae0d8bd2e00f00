/** What was typed for a request: kept while it is open, and shown when it can't be sent any more. */
import { useEffect } from 'react'
import { toast } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'

/** The draft of an answer, or of the reason for a denial. */
export const answerDraftKey = (questionId: string): string => `answer ${questionId}`

/** Shows what was typed for each request that is gone without it. Use it once, in the shell. */
export function useUnsentAnswers(): void {
  const { questions, drafts } = useStores()
  useEffect(
    () =>
      questions.store.subscribe((open, before) => {
        for (const { id } of before) {
          const text = drafts.of(answerDraftKey(id))
          if (text === '' || open.some((one) => one.id === id)) continue
          drafts.set(answerDraftKey(id), '')
          showNotSent(text)
        }
      }),
    [questions, drafts],
  )
}

/** `text`: what was typed for the request; may be empty. */
export function showNotSent(text: string): void {
  const title =
    'Your answer was not sent: the request was answered elsewhere, or its run has ended.'
  if (text.trim() === '') {
    toast.warning(title)
    return
  }
  toast.warning(title, {
    description: text,
    // The only copy of it.
    duration: Number.POSITIVE_INFINITY,
    action: {
      label: 'Copy it',
      onClick: () => void navigator.clipboard.writeText(text).catch(() => {}),
    },
    cancel: { label: 'Discard', onClick: () => {} },
  })
}
