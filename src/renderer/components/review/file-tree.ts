/** Converts changed files into the rows of a folder tree; a folder with only one folder in it shares its row. Pure. */
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'

export type ChangedFile = WorkspaceDiff['files'][number]

export type FileTreeRow =
  | { kind: 'folder'; path: string; name: string; depth: number }
  | { kind: 'file'; file: ChangedFile; name: string; depth: number }

interface Folder {
  folders: Map<string, Folder>
  files: ChangedFile[]
}

/** Folders before files, each sorted by name. */
export function fileTreeRows(files: readonly ChangedFile[]): FileTreeRow[] {
  const root: Folder = { folders: new Map(), files: [] }
  for (const file of files) {
    let folder = root
    for (const name of file.path.split('/').slice(0, -1)) {
      const inside = folder.folders.get(name) ?? { folders: new Map(), files: [] }
      folder.folders.set(name, inside)
      folder = inside
    }
    folder.files.push(file)
  }
  return rowsOf(root, '', 0)
}

function rowsOf(folder: Folder, above: string, depth: number): FileTreeRow[] {
  const folders = [...folder.folders]
    .toSorted(([a], [b]) => byName(a, b))
    .flatMap(([first, inside]): FileTreeRow[] => {
      let name = first
      let below = inside
      for (let only = onlyFolder(below); only; only = onlyFolder(below)) {
        name = `${name}/${only[0]}`
        below = only[1]
      }
      const path = above === '' ? name : `${above}/${name}`
      return [{ kind: 'folder', path, name, depth }, ...rowsOf(below, path, depth + 1)]
    })
  const files = folder.files
    .map((file) => ({ file, name: file.path.slice(file.path.lastIndexOf('/') + 1) }))
    .toSorted((a, b) => byName(a.name, b.name))
    .map(({ file, name }): FileTreeRow => ({ kind: 'file', file, name, depth }))
  return [...folders, ...files]
}

const { compare: byName } = new Intl.Collator(undefined, { numeric: true })

function onlyFolder({ folders, files }: Folder): [string, Folder] | undefined {
  return folders.size === 1 && files.length === 0 ? [...folders][0] : undefined
}

/** Returns the files in the order of the tree. */
export const filesInOrder = (files: readonly ChangedFile[]): ChangedFile[] =>
  fileTreeRows(files).flatMap((row) => (row.kind === 'file' ? [row.file] : []))
