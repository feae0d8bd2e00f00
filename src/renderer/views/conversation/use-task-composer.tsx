import { type ComponentProps, type RefObject, useRef, useState } from 'react'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Composer } from '../../components/composer/composer.tsx'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { usePreference, useStores, useUnreachable } from '../../store/hooks.ts'
import { textAfter } from '../../store/prompt/drafts.ts'
import { useActions } from '../app/use-actions.ts'
import { imageFile, useAttachments } from '../composer/use-attachments.ts'
import { useComposerKeys } from '../composer/use-composer-keys.ts'
import { StopsNext } from './stops-next.tsx'
import { useArrival } from './use-arrival.ts'

/**
 * The state that the composers of roots and sub-agents share: the draft and images of a prompt to `task`, and sending
 * it. `what` names the prompt in error messages, such as "message".
 */
export function useTaskComposer(options: {
  task: Task
  what: string
  /** Esc was pressed once: the next one stops the agent. */
  stopsNext: boolean
  composer: RefObject<HTMLTextAreaElement | null>
}) {
  const { task, what, stopsNext, composer } = options
  const { client, drafts } = useStores()
  const { stop, wrapUp } = useActions()
  const [draft, setDraft] = useState(() => drafts.of(task.id))
  /** For a send that completes after the draft has changed. */
  const currentDraft = useRef(draft)
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const sendKey = usePreference('sendKey')
  useComposerKeys()
  const unreachable = useUnreachable()
  const attachments = useAttachments(task.id)
  useArrival(
    task.id,
    (at) => at === 'composer',
    () => composer.current?.focus(),
  )
  const changeDraft = (next: string) => {
    currentDraft.current = next
    setDraft(next)
    drafts.set(task.id, next)
  }

  /** Returns whether it was sent. */
  async function send(prompt: string, { atNextTurn }: { atNextTurn: boolean }): Promise<boolean> {
    setSending(true)
    setProblem(null)
    try {
      const images = attachments.toSend()
      await client.tasks.prompt({ taskId: task.id, prompt, images, atNextTurn })
      drafts.sent(task.id, prompt)
      for (const { id } of attachments.images) attachments.onRemove(id)
      changeDraft(textAfter(prompt, currentDraft.current))
      return true
    } catch (error) {
      setProblem(problemOf(error, `send the ${what}`))
      return false
    } finally {
      setSending(false)
    }
  }

  /** Puts a prompt that was sent before above the draft. `images`: base64. */
  function edit(prompt: string, images: { name: string; data: string }[]): void {
    attachments.onAdd(images.map(imageFile))
    changeDraft(draft.trim() === '' ? prompt : `${prompt}\n\n${draft}`)
    composer.current?.focus()
  }

  const composerProps = {
    ref: composer,
    draft,
    onDraftChange: changeDraft,
    sendKey,
    history: historyWith(task, drafts.history()),
    sending,
    unreachable,
    info: stopsNext ? <StopsNext /> : undefined,
    findFiles: async (query) =>
      (await client.workspace.findFiles({ workspaceId: task.id, query })).files,
    attachments,
    onStop: () => void stop(task.id),
    onWrapUp: () => void wrapUp(task.id),
  } satisfies Partial<ComponentProps<typeof Composer>>
  return { composerProps, problem, send, edit }
}

/** `sent`: newest first. The prompt of a root that was started elsewhere is added as the oldest. */
const historyWith = ({ parentId, prompt }: Task, sent: readonly string[]): readonly string[] =>
  parentId === null && !sent.includes(prompt) ? [...sent, prompt] : sent
