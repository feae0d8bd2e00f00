import { X } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'
import { Outline } from '../../components/conversation/outline.tsx'
import { IconButton, NoticeLine } from '../../components/primitives/index.ts'
import { useStores, useTranscriptView } from '../../store/hooks.ts'
import {
  createOutlineStore,
  type OutlineStore,
  outlineIndexOf,
} from '../../store/transcript/outline-store.ts'
import type { TranscriptStore } from '../../store/transcript/transcript-store.ts'
import type { ReadingPosition } from './reading.ts'

/** The outline of an open transcript, which marks the entry at `position`. */
export function OutlinePane(props: {
  transcript: TranscriptStore
  position: StoreApi<ReadingPosition>
  isSheet: boolean
  onClose(): void
}) {
  const { transcript, position, isSheet, onClose } = props
  const { client } = useStores()
  const { taskId } = transcript
  const [outline, setOutline] = useState<OutlineStore | null>(null)
  useEffect(() => {
    const opened = createOutlineStore({ client, taskId })
    setOutline(opened)
    return () => opened.close()
  }, [client, taskId])
  return outline ? (
    <OpenOutline
      transcript={transcript}
      outline={outline}
      position={position}
      isSheet={isSheet}
      onClose={onClose}
    />
  ) : null
}

function OpenOutline(props: {
  transcript: TranscriptStore
  outline: OutlineStore
  position: StoreApi<ReadingPosition>
  isSheet: boolean
  onClose(): void
}) {
  const { transcript, outline, position, isSheet, onClose } = props
  const { items, busy, problem } = useStore(outline.store)
  const { totalEntries } = useTranscriptView(transcript)
  const { seq } = useStore(position)
  const current = useMemo(() => outlineIndexOf(items, seq), [items, seq])
  useEffect(() => outline.follow(totalEntries), [outline, totalEntries])
  return (
    <>
      {problem ? (
        <NoticeLine
          tone="error"
          className="border-b px-3"
          text={problem.message}
          details={[problem.details]}
          action={{ label: 'Try again', onClick: outline.retry }}
        />
      ) : null}
      <Outline
        items={items}
        current={current}
        busy={busy}
        takesFocus={isSheet}
        onGo={(item) => {
          void transcript.goTo(item.seq, { focus: isSheet })
          if (isSheet) onClose()
        }}
        actions={<IconButton label="Close the outline" icon={<X />} onClick={onClose} />}
      />
    </>
  )
}
