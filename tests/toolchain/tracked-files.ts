import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Paths, from the root of the project, of the files that Git has or is about to be given. */
export function projectFiles(): string[] {
  const listed = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`)
  // What was deleted but not committed yet is still listed.
  return listed.stdout.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}

/** The text of a file, named from the root of the project. */
export function readProjectFile(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
