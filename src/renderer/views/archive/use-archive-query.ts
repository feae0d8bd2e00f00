import { useMemo, useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { usePreference } from '../../store/hooks.ts'
import { toggled as withToggled } from '../../store/window/preferences.ts'
import { filterOf, noChoices } from './archive-filters.tsx'
import { archiveIndex } from './archive-index.ts'
import { type ArchiveStatus, archiveRows } from './archive-rows.ts'
import { useCleanUp, useToolFilter } from './use-archive-facts.ts'
import { useTranscripts } from './use-transcripts.ts'

export type ArchiveQuery = ReturnType<typeof useArchiveQuery>

/** The filtered, sorted and folded list of the archive. `chosen` is listed whatever the filter. */
export function useArchiveQuery(chosen: TaskId | null) {
  const { transcripts, problem, reload } = useTranscripts()
  const by = usePreference('archiveSort')
  const reversed = usePreference('archiveReversed')
  const show = usePreference('archiveShow')
  const [text, setText] = useState('')
  const [status, setStatus] = useState<ArchiveStatus>('all')
  const [folds, setFolds] = useState<string[]>([])
  const [choices, setChoices] = useState(noChoices)
  const [filtersOpen, setFiltersOpen] = useState(false)
  const { tools, using } = useToolFilter(filtersOpen, choices.tool)
  const cleanUp = useCleanUp(show === 'expiring')
  const index = useMemo(() => (transcripts ? archiveIndex(transcripts) : null), [transcripts])
  const { rows, count, bytes } = useMemo(() => {
    const filter = {
      text,
      status,
      show,
      selected: chosen,
      using,
      expiring: cleanUp.ids,
      ...filterOf(choices, Date.now()),
    }
    return index
      ? archiveRows(index, filter, { by, reversed }, new Set(folds))
      : { rows: [], count: 0, bytes: 0 }
  }, [index, text, status, show, chosen, by, reversed, folds, choices, using, cleanUp.ids])
  const trees = useMemo(
    () => rows.flatMap((row) => (row.kind === 'task' && row.below > 0 ? [row] : [])),
    [rows],
  )
  const allFolded = trees.length > 0 && trees.every(({ folded }) => folded)
  return {
    transcripts,
    problem,
    reload,
    index,
    rows,
    count,
    bytes,
    by,
    reversed,
    show,
    cleanUp,
    tools,
    text,
    setText,
    status,
    setStatus,
    choices,
    setChoices,
    filtersOpen,
    setFiltersOpen,
    trees,
    allFolded,
    /** Folds every tree, or unfolds every tree once all are folded. */
    foldAll(): void {
      const change = trees.filter(({ folded }) => folded === allFolded).map(({ key }) => key)
      setFolds(change.reduce<string[]>(withToggled, folds))
    },
    toggleFold: (key: string) => setFolds(withToggled(folds, key)),
  }
}
