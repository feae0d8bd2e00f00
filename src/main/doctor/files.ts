/**
 * Examines every file and folder of Shiplog's own: its mode, its type, and whether it is expected.
 */
import type { Stats } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  indexFileOf,
  isBeingPrepared,
  isLeftOfMove,
  removeDurable,
  systemCode,
} from '../journal/index.ts'
import { snapshotPathOf } from '../ledger/snapshot.ts'
import { canOthersWrite, octal, protectedMode } from '../sessions/data-dir-mode.ts'
import type { Case, Findings } from './finding.ts'
import { look, namesIn } from './on-disk.ts'
import { isTemporary } from './temporary.ts'

export async function* examineFiles(subject: Case): Findings {
  const { layout } = subject
  // Folders that hold only Shiplog's files. Worktrees and the demo hold the user's files; the trash
  // is left unchanged.
  const ownTrees = [layout.sessions, layout.archive, layout.receipts, layout.projects]
  const ledgerFiles = [layout.ledger, indexFileOf(layout.ledger), snapshotPathOf(layout.ledger)]
  const ownFiles = [
    ...ledgerFiles,
    layout.lease,
    layout.leaseLock,
    layout.webHost,
    layout.settings,
    layout.permissions,
    layout.limits,
    layout.imports,
    layout.providers,
    layout.keys,
    layout.installedAgents,
    layout.trashSeen,
    layout.trashDue,
  ]
  yield* examineDataDir(layout.dataDir)
  for (const name of await namesIn(layout.dataDir)) {
    const path = join(layout.dataDir, name)
    // Includes `settings.json.damaged-1`.
    const isOwnFile = ownFiles.some((file) => path === file || path.startsWith(`${file}.`))
    if (ownTrees.includes(path)) yield* examineTree(subject, path)
    else if (path === layout.trash) yield* examineTrash(subject, path)
    else if (path === layout.worktrees || isOwnFile || isTemporary(name))
      yield* examineOne(subject, path)
  }
}

/** The user may have created it, and other users may be meant to list it; none may write it. */
async function* examineDataDir(path: string): Findings {
  const stats = await stat(path)
  if (!canOthersWrite(stats)) return
  yield {
    kind: 'file-mode',
    path,
    detail: `its mode is ${octal(stats.mode)}: other users can write it`,
    repair: () => chmod(path, protectedMode(stats)),
  }
}

async function* examineTree(subject: Case, path: string): Findings {
  yield* examineOne(subject, path)
  try {
    for (const name of await namesIn(path)) {
      const below = join(path, name)
      if ((await look(below))?.isDirectory() && !isLeftOfMove(name))
        yield* examineTree(subject, below)
      else yield* examineOne(subject, below)
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    yield { kind: 'unreadable', path, detail: `the disk refuses to show it (${systemCode(error)})` }
  }
}

/** Reports only interrupted copies; the trash is not changed otherwise. */
async function* examineTrash(subject: Case, path: string): Findings {
  yield* examineOne(subject, path)
  for (const name of (await namesIn(path)).filter(isLeftOfMove))
    yield* examineOne(subject, join(path, name))
}

async function* examineOne(subject: Case, path: string): Findings {
  const stats = await look(path)
  // Another process moved or removed it meanwhile.
  if (!stats) return
  subject.looked()
  if (stats.isSymbolicLink()) {
    yield { kind: 'symlink', path, detail: 'a symbolic link, which is never followed' }
  } else if (!stats.isFile() && !stats.isDirectory()) {
    yield { kind: 'special-file', path, detail: 'a pipe, a socket or a device' }
  } else if (stats.isDirectory() && isNameOfFile(path)) {
    yield { kind: 'special-file', path, detail: 'a folder where a file should be' }
  } else if (isLeftOfMove(basename(path))) {
    if (!isLeftOver(subject, path, stats)) return
    yield {
      kind: 'temporary-file',
      path,
      detail: 'left by a move to another file system; what it holds is whole in another place',
      repair: () => removeDurable(path),
    }
  } else if (isTemporary(basename(path)) && stats.isFile()) {
    if (!isLeftOver(subject, path, stats)) return
    yield {
      kind: 'temporary-file',
      path,
      detail: `${stats.size} bytes that were being written when a process ended`,
      repair: () => subject.toTrash(path),
    }
  } else yield* examineMode(path, stats)
}

/**
 * Reports whether an earlier process left the file. Times alone don't prove that: a clock that was
 * set back leaves files from the future, and the kernel's time of a file may be some milliseconds
 * before the clock's.
 */
const isLeftOver = (subject: Case, path: string, stats: Stats): boolean =>
  !isBeingPrepared(path) && (subject.nothingRuns || stats.mtimeMs < subject.startedAtMs)

/** No folder of Shiplog's has such a name. */
const isNameOfFile = (path: string): boolean =>
  /\.(?:jsonl?|index|md|mbox|patch|yaml|lock)$/.test(path) || isNameOfContent(path)

/** Files in `blobs/` and `file-history/` are named by their hash. */
const isNameOfContent = (path: string): boolean => /^[0-9a-f]{64}$/.test(basename(path))

async function* examineMode(path: string, stats: Stats): Findings {
  // Windows has no such modes.
  if (process.platform === 'win32') return
  const mode = stats.mode & 0o777
  const wanted = stats.isDirectory() ? 0o700 : 0o600
  if (mode === wanted) return
  yield {
    kind: 'file-mode',
    path,
    detail: `its mode is ${octal(mode)} and should be ${octal(wanted)}`,
    repair: () => chmod(path, wanted),
  }
}
