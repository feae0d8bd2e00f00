import { useState } from 'react'
import { useStore } from 'zustand'
import type { PromptAttachments } from '../../components/composer/attachment-strip.tsx'
import { useStores } from '../../store/hooks.ts'

const none: PromptAttachments['images'] = []

/** The images of one unsent prompt. `key`: a task, or another receiver of prompts. */
export function useAttachments(key: string): PromptAttachments & {
  /** Returns the images in the form of a request; base64. */
  toSend(): { data: string }[]
  clear(): void
} {
  const { attachments } = useStores()
  const images = useStore(attachments.store, (all) => all.get(key) ?? none)
  const [problems, setProblems] = useState<readonly string[]>([])
  return {
    images,
    problems,
    onAdd: (files) => void attachments.add(key, files).then(setProblems),
    onRemove(id) {
      setProblems([])
      attachments.remove(key, id)
    },
    toSend: () => images.map(({ data }) => ({ data })),
    clear() {
      setProblems([])
      attachments.clear(key)
    },
  }
}

/** Converts a sent image back to a file, so that it can be sent again. `data`: base64. */
export const imageFile = ({ name, data }: { name: string; data: string }): File =>
  new File([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], name)
