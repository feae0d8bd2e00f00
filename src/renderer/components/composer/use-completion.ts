import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import {
  type CompletionWanted,
  type ComposerCommand,
  completionAt,
  withFile,
} from './completion.ts'

interface CompletionOption {
  id: string
  /** The inserted text or the command. */
  label: string
  /** Shown after the label: the folder of a file, the description of a command. */
  detail: string
}

export interface Completion {
  /** Null: no completion is active. Empty: nothing matches. */
  options: CompletionOption[] | null
  kind: CompletionWanted['kind']
  /** The index of the option that Enter accepts. */
  active: number
  listId: string
  choose(index: number): void
  setActive(index: number): void
  /** Returns true if the list handled the key. */
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean
  /** Call it when the caret moved, or the text changed. */
  onCaret(): void
  close(): void
}

/** Completes files after `@` and commands after a `/` at the beginning. */
export function useCompletion(props: {
  draft: string
  onDraftChange(draft: string): void
  field: RefObject<HTMLTextAreaElement | null>
  /** Best first; absent if there is no file completion. */
  findFiles?: ((query: string) => Promise<string[]>) | undefined
  commands?: readonly ComposerCommand[] | undefined
}): Completion {
  const { draft, onDraftChange, field, findFiles, commands = [] } = props
  const listId = useId()
  const [caret, setCaret] = useState<number | null>(null)
  const [active, setActive] = useState(0)
  /** The completion that Escape closed: it stays closed until another one starts. */
  const [dismissed, setDismissed] = useState<string | null>(null)
  const found = caret === null ? null : completionAt(draft, caret)
  const isOffered = found?.kind === 'file' ? findFiles !== undefined : commands.length > 0
  const wanted = isOffered ? found : null
  const key = keyOf(wanted)
  const files = useFiles(wanted?.kind === 'file' ? wanted.query : null, findFiles)
  const matching =
    wanted?.kind === 'command' ? commands.filter(({ name }) => name.startsWith(wanted.query)) : []
  const items = wanted?.kind === 'file' ? (files?.map(fileItem) ?? null) : matching.map(commandItem)
  // A `/` that begins no command is plain text.
  const isPlainText = wanted?.kind === 'command' && matching.length === 0
  const options =
    wanted === null || key === dismissed || isPlainText
      ? null
      : (items?.map((item, index) => ({ ...item, id: `${listId}-${index}` })) ?? null)
  const last = (options?.length ?? 0) - 1
  const shown = Math.min(active, Math.max(0, last))

  const onCaret = () => {
    const { current } = field
    if (!current) return
    const { selectionStart, selectionEnd } = current
    setCaret(selectionStart === selectionEnd ? selectionStart : null)
    setActive(0)
    const next = completionAt(current.value, selectionStart)
    if (keyOf(next) !== dismissed) setDismissed(null)
  }
  const close = () => setDismissed(key)
  const choose = (index: number) => {
    if (wanted === null || caret === null) return
    if (wanted.kind === 'command') {
      const command = matching[index]
      if (!command) return
      onDraftChange('')
      setCaret(null)
      command.run()
      return
    }
    const path = files?.[index]
    if (path === undefined) return
    const next = withFile(draft, { from: wanted.from, caret, path })
    // Rendered now, so that the next typed letter comes after the name.
    flushSync(() => {
      onDraftChange(next.text)
      setCaret(null)
    })
    field.current?.focus()
    field.current?.setSelectionRange(next.caret, next.caret)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (options === null || event.ctrlKey || event.metaKey || event.altKey) return false
    const { key: pressed } = event
    if (pressed === 'Escape') close()
    else if (options.length === 0) return false
    else if (pressed === 'ArrowDown') setActive(shown === last ? 0 : shown + 1)
    else if (pressed === 'ArrowUp') setActive(shown === 0 ? last : shown - 1)
    else if ((pressed === 'Enter' || pressed === 'Tab') && !event.shiftKey) choose(shown)
    else return false
    event.preventDefault()
    // Escape closes the list and must not stop an agent.
    event.stopPropagation()
    return true
  }
  return {
    options,
    kind: wanted?.kind ?? 'file',
    active: shown,
    listId,
    choose,
    setActive,
    onKeyDown,
    onCaret,
    close,
  }
}

/** Stays the same while a completion is typed. */
const keyOf = (wanted: CompletionWanted | null): string | null =>
  wanted && (wanted.kind === 'file' ? `file ${wanted.from}` : 'command')

const fileItem = (path: string) => ({
  label: path.slice(path.lastIndexOf('/') + 1),
  detail: path.slice(0, Math.max(0, path.lastIndexOf('/'))),
})

const commandItem = ({ name, description }: ComposerCommand) => ({
  label: `/${name}`,
  detail: description,
})

/**
 * Keeps the last result until the next one arrives. Null while there is none, and if the search
 * failed.
 */
function useFiles(
  query: string | null,
  findFiles: ((query: string) => Promise<string[]>) | undefined,
): string[] | null {
  const [found, setFound] = useState<string[] | null>(null)
  const find = useRef(findFiles)
  find.current = findFiles
  useEffect(() => {
    if (query === null) return setFound(null)
    let wanted = true
    find.current?.(query).then(
      (files) => wanted && setFound(files),
      // Completion is optional.
      () => wanted && setFound(null),
    )
    return () => {
      wanted = false
    }
  }, [query])
  return query === null ? null : found
}
