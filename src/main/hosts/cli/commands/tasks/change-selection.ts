/** Resolves the selection of `tasks apply --file … --hunk …`. */
import type { ChangeSelection } from '../../../../../shared/contract/changes/changes.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import type { WorkspaceDiff } from '../../../../../shared/contract/workspace.ts'
import { hunkRangesOf } from '../../../../../shared/git/hunk-ranges.ts'
import { CliError, exitCodes, usageError } from '../../exit-codes.ts'

type ChangedFile = WorkspaceDiff['files'][number]

/** Rejects with CliError for a path that did not change, or a missing hunk. */
export async function selectionOf(
  client: ShiplogClient,
  id: string,
  { file, hunk }: { file: readonly string[]; hunk: readonly string[] },
): Promise<ChangeSelection> {
  const { files, tree } = await client.workspace.diff({ workspaceId: id, patch: false })
  const selected = new Map<string, ChangeSelection['files'][number]>()
  const wanted = hunk.map(hunksOf)
  for (const [path, numbers] of wanted) {
    const [changed] = changedAt(files, path, 'file')
    if (!changed) continue
    const { ranges, shownTree } = await hunksIn(client, id, changed)
    if (shownTree !== tree) throw changedMeanwhile()
    const hunks = numbers.map((number) => ranges[number - 1] ?? noSuchHunk(changed, ranges.length))
    const before = selected.get(changed.path)?.hunks ?? []
    selected.set(changed.path, { path: changed.path, hunks: [...before, ...hunks] })
  }
  for (const path of file)
    for (const changed of changedAt(files, path, 'file-or-folder'))
      selected.set(changed.path, { path: changed.path })
  if (tree === null) throw new CliError(exitCodes.notFound, 'No files were changed.')
  return { tree, files: [...selected.values()] }
}

/** Parses `src/a.ts:1,3`. */
function hunksOf(text: string): [path: string, numbers: number[]] {
  const [, path, numbers] = /^(.+):(\d+(?:,\d+)*)$/.exec(text) ?? []
  if (path === undefined || numbers === undefined)
    throw usageError(`--hunk ${text}: give a path and the number of a hunk, such as src/a.ts:2.`)
  return [path, numbers.split(',').map(Number)]
}

function changedAt(
  files: readonly ChangedFile[],
  text: string,
  what: 'file' | 'file-or-folder',
): ChangedFile[] {
  const path = text.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/$/, '')
  const same = files.filter((one) => one.path === path || one.oldPath === path)
  const below = files.filter((one) => path === '.' || one.path.startsWith(`${path}/`))
  const found = same.length > 0 || what === 'file' ? same : below
  if (found.length > 0) return found
  throw new CliError(
    exitCodes.notFound,
    `${text} is not among the changed files.`,
    files.slice(0, listedMax).map((one) => `  ${one.path}`),
  )
}

/** A list longer than a screen does not help to correct a path. */
const listedMax = 20

async function hunksIn(client: ShiplogClient, id: string, { path, oldPath }: ChangedFile) {
  const paths = oldPath === null ? [path] : [path, oldPath]
  const { patch, tree } = await client.workspace.diff({ workspaceId: id, file: { paths } })
  return { ranges: hunkRangesOf(patch), shownTree: tree }
}

const changedMeanwhile = () =>
  new CliError(exitCodes.refused, 'The files changed meanwhile. Try again.')

function noSuchHunk({ path }: ChangedFile, count: number): never {
  const has =
    count === 0
      ? 'no hunks (choose it with --file)'
      : count === 1
        ? 'one hunk, which is number 1'
        : `hunks 1 to ${count}`
  throw new CliError(exitCodes.notFound, `${path} has ${has}.`)
}
