import { useCallback, useEffect, useState } from 'react'
import { exactCount } from '../../components/primitives/format.ts'
import { useStores } from '../../store/hooks.ts'
import { type GivenFile, notOpened } from '../../store/opened/opened-logs.ts'

/** Each is sent to the host one after the other. With more, the folder is refused rather than shown in part. */
const filesMax = 5_000

/**
 * Opens a file or folder dropped on the window. Elements that accept drops, such as the prompt, take precedence. Returns
 * whether files are dragged over the window that would be opened.
 */
export function useDroppedLog(): boolean {
  const openLog = useOpenLog()
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const isOfFiles = (event: DragEvent): boolean =>
      !event.defaultPrevented && event.dataTransfer?.types.includes('Files') === true
    const over = (event: DragEvent) => {
      const isOurs = isOfFiles(event)
      setOver(isOurs)
      if (!isOurs || !event.dataTransfer) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
    }
    const leave = (event: DragEvent) => {
      // Without a related target, the pointer left the window.
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!isOfFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      const name = event.dataTransfer.files[0]?.name ?? 'What was dropped'
      // Begun now, because the items are cleared after the event.
      const files = filesOf(event.dataTransfer)
      void openLog(name, () => checked(name, files))
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [openLog])
  return isOver
}

async function checked(name: string, dropped: Promise<GivenFile[]>): Promise<GivenFile[]> {
  const files = await dropped.catch(() => {
    throw notOpened(`${name} can’t be read.`)
  })
  if (files.length === 0) throw notOpened(`${name} contains no files.`)
  if (files.length > filesMax)
    throw notOpened(
      `${name} contains more than ${exactCount(filesMax)} files. Drop a folder within it, or open it by its path with \`shiplog open\`.`,
    )
  return files
}

function useOpenLog(): (name: string, read: () => Promise<GivenFile[]>) => Promise<void> {
  const { opened, navigation } = useStores()
  return useCallback(
    async (name, read) => {
      navigation.go({ screen: 'opened', id: null, path: null })
      const log = await opened.openFiles(name, read)
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
      const files = [...(input.files ?? [])].map((file) => ({
        name: file.name,
        file,
        path: pathOf(file),
      }))
      onChosen?.()
      const [first] = files
      if (first) void openLog(first.name, async () => files)
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
  if (found.length > filesMax) return
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
