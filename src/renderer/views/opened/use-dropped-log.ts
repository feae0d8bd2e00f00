import { useCallback, useEffect } from 'react'
import { useStores } from '../../store/hooks.ts'
import type { GivenFile } from '../../store/opened/opened-logs.ts'

/** A folder with more files is not a folder of logs. */
const filesMax = 5_000

/** Opens a file or folder dropped on the window. Elements that accept drops, such as the prompt, take precedence. */
export function useDroppedLog(): void {
  const openLog = useOpenLog()
  useEffect(() => {
    const isOfFiles = (event: DragEvent): boolean =>
      !event.defaultPrevented && event.dataTransfer?.types.includes('Files') === true
    const over = (event: DragEvent) => {
      if (!isOfFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
    }
    const drop = async (event: DragEvent) => {
      if (!isOfFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      await openLog(await filesOf(event.dataTransfer))
    }
    const onDrop = (event: DragEvent) => void drop(event)
    window.addEventListener('dragover', over)
    window.addEventListener('drop', onDrop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('drop', onDrop)
    }
  }, [openLog])
}

function useOpenLog(): (files: GivenFile[]) => Promise<void> {
  const { opened, navigation } = useStores()
  return useCallback(
    async (files) => {
      if (files.length === 0) return
      navigation.go({ screen: 'opened', id: null, path: null })
      const log = await opened.openFiles(files)
      if (log) navigation.go({ screen: 'opened', id: log.id, path: null }, { replace: true })
    },
    [opened, navigation],
  )
}

/** Lets the user choose the files of a log, and opens them. `onChosen`: called if the user did not cancel. */
export function useChooseLog(onChosen?: () => void): () => void {
  const openLog = useOpenLog()
  return () => {
    const input = document.createElement('input')
    Object.assign(input, { type: 'file', multiple: true })
    input.onchange = () => {
      const files = [...(input.files ?? [])]
      onChosen?.()
      void openLog(files.map((file) => ({ name: file.name, file, path: pathOf(file) })))
    }
    input.click()
  }
}

/** The desktop knows where a file is; a page in a browser does not. */
function pathOf(file: File): string | null {
  const { shiplog } = window as { shiplog?: { pathOf?(file: File): string } }
  return shiplog?.pathOf?.(file) || null
}

async function filesOf({ items, files }: DataTransfer): Promise<GivenFile[]> {
  // Read before the first await, because the items are cleared after the event.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const whole = [...files]
  const [only] = whole
  const path = only && whole.length === 1 ? pathOf(only) : null
  // With a path, the host reads the file or folder itself.
  if (only && path !== null) return [{ name: only.name, file: only, path }]
  // A program may drop files that are in no folder, such as an attachment of a mail.
  if (entries.length === 0) return whole.map((file) => ({ name: file.name, file, path: null }))
  const found: GivenFile[] = []
  for (const entry of entries) await addFiles(entry, entry.name, found)
  return found
}

async function addFiles(entry: FileSystemEntry, name: string, found: GivenFile[]): Promise<void> {
  if (found.length >= filesMax) return
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    found.push({ name, file, path: null })
  } else if (isFolder(entry)) {
    const reader = entry.createReader()
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
        reader.readEntries(resolve, reject),
      )
      if (some.length === 0) return
      for (const one of some) await addFiles(one, `${name}/${one.name}`, found)
    }
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
