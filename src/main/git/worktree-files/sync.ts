/** Makes a worktree that Git has just made last through a power cut. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { syncPaths } from './durable.ts'
import { adminDirOf } from './state.ts'

/** `branch`: the one that was made for it. The files in it come from commits and can be made again. */
export async function syncWorktree({
  commonDir,
  root,
  branch,
}: {
  commonDir: string
  root: string
  branch: string
}): Promise<void> {
  const adminDir = await adminDirOf(commonDir, root)
  const own = adminDir === null ? [] : await readdir(adminDir, { withFileTypes: true })
  const files = own.flatMap((entry) =>
    entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
  )
  const ref = path.join(commonDir, 'refs', 'heads', branch)
  await syncPaths([
    ...files,
    path.join(root, '.git'),
    ...(adminDir === null ? [] : [adminDir]),
    path.join(commonDir, 'worktrees'),
    commonDir,
    root,
    path.dirname(root),
    ref,
    ...foldersUpTo(path.join(commonDir, 'refs'), ref),
  ])
}

function foldersUpTo(top: string, file: string): string[] {
  const folders: string[] = []
  for (let dir = path.dirname(file); dir.startsWith(top); dir = path.dirname(dir)) folders.push(dir)
  return folders
}
