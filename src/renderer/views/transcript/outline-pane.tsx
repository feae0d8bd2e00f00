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
import type { PaneState } from './use-panes.ts'

/** The outline of an open transcript. It marks the entry at `position`, or the moment of the replay. */
export function OutlinePane(props: {
  transcript: TranscriptStore
  position: StoreApi<ReadingPosition>
  /** The last entry that the replay shows; null without one. */
  through: number | null
  pane: PaneState
  onClose(): void
}) {
  const { transcript, position, through, pane, onClose } = props
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
      through={through}
      pane={pane}
      onClose={onClose}
    />
  ) : null
}

function OpenOutline(props: {
  transcript: TranscriptStore
  outline: OutlineStore
  position: StoreApi<ReadingPosition>
  /** The last entry that the replay shows; null without one. */
  through: number | null
  pane: PaneState
  onClose(): void
}) {
  const { transcript, outline, position, through, pane, onClose } = props
  const { items, busy, problem } = useStore(outline.store)
  const { totalEntries } = useTranscriptView(transcript)
  const { seq } = useStore(position)
  const shownSeq = through ?? seq
  const current = useMemo(() => outlineIndexOf(items, shownSeq), [items, shownSeq])
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
        takesFocus={pane.isSheet || pane.wasOpenedHere}
        onGo={(item) => {
          void transcript.goTo(item.seq, { focus: pane.isSheet })
          if (pane.isSheet) onClose()
        }}
        actions={<IconButton label="Close the outline" icon={<X />} onClick={onClose} />}
      />
    </>
  )
}
