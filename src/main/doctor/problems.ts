/** Every kind of problem: how it is found, and what `--repair` does about it. README.md shows this table. */
import type { ProblemKind } from '../../shared/contract/doctor.ts'

interface ProblemRow {
  /** The examined problem. */
  found: string
  /** The repair, which loses nothing; null if there is none and everything is left unchanged. */
  repair: string | null
  /** True if unfinished work can't cause the problem, so it is reported for running trees too. */
  evenAtWork?: true
}

const rebuilt = 'rebuilt from the payloads; the old file is kept as `<index>.damaged-<n>`'
const toTrash = 'moved to `trash/doctor-<time>/`, under its original path'

export const problemTable: Record<ProblemKind, ProblemRow> = {
  'journal-damaged': {
    found:
      'a line with a wrong checksum or out of its place in the chain, in the ledger or a transcript',
    repair: null,
    evenAtWork: true,
  },
  'snapshot-wrong': {
    found: 'a `ledger.snapshot.json` that differs from the records of the ledger',
    repair: 'removed: the next start folds the records',
  },
  'torn-tail': {
    found: 'bytes after the last newline of a transcript that is not being written',
    repair: 'set aside as `<journal>.torn-<offset>`, then truncated',
  },
  'transcript-shortened': {
    found:
      'fewer records than were archived, or no end of a run that completed, and no damaged line',
    repair: null,
  },
  'transcript-missing': {
    found:
      'a task that ran has no `chat.jsonl` and it has not expired, or an archived one no `transcript.json` in an ancestor’s directory',
    repair: null,
  },
  'blob-missing': { found: 'a record refers to a long value that is missing', repair: null },
  'blob-damaged': {
    found: 'a long value whose SHA-256 is not its name',
    repair: null,
    evenAtWork: true,
  },
  'file-history-missing': { found: 'a record refers to an original that is missing', repair: null },
  'file-history-damaged': {
    found: 'an original whose SHA-256 is not its name',
    repair: null,
    evenAtWork: true,
  },
  'scenario-missing': { found: 'a scenario that a task’s spec refers to is missing', repair: null },
  'scenario-damaged': {
    found: 'such a scenario whose SHA-256 is not its name',
    repair: null,
    evenAtWork: true,
  },
  'report-missing': {
    found:
      'the ledger has `task.reported`, and `report.json` or `report.md` of that run is missing',
    repair: null,
  },
  'report-damaged': {
    found: 'such a `report.json` can’t be read, or the SHA-256 of `report.md` is not the one in it',
    repair: null,
    evenAtWork: true,
  },
  'patch-missing': {
    found:
      'an archived task worked in a worktree and has no `patch.json`, or lacks the files that this lists',
    repair: null,
  },
  'patch-damaged': {
    found: 'the SHA-256 of `series.mbox` or `worktree.patch` is not the one in `patch.json`',
    repair: null,
  },
  'payload-damaged': {
    found: '`report.json`, `transcript.json` or `patch.json` of an artifact can’t be read',
    repair: null,
    evenAtWork: true,
  },
  'index-missing': { found: 'artifacts without their index', repair: rebuilt },
  'index-damaged': {
    found: 'an index that is not JSON or of another shape',
    repair: rebuilt,
    evenAtWork: true,
  },
  'index-other-version': { found: 'an index of another version', repair: rebuilt },
  'index-incomplete': {
    found: 'an artifact that its index does not list',
    repair: `${rebuilt}; its entries stay`,
  },
  'index-names-missing': { found: 'an index lists a file that is missing', repair: null },
  'archive-missing': { found: 'an archived root without its archive directory', repair: null },
  'archive-in-trash': {
    found: 'an archived root that is in the trash without a ledger event',
    repair: 'moved back to the archive',
  },
  'orphan-session': {
    found: 'a session directory without a task in which nothing was recorded',
    repair: toTrash,
  },
  'orphan-record': {
    found:
      'a session directory without a task that holds a record, or any while the ledger is damaged',
    repair: null,
  },
  'orphan-archive': { found: 'an archive directory without an archived root', repair: null },
  'worktree-missing': {
    found:
      'a workspace in use whose worktree is missing, or empty or incomplete, as a kill leaves it behind that comes while it is created again',
    repair: null,
  },
  'worktree-broken': {
    found:
      'a worktree in use whose `.git` file, or one of Git’s own files about it, is missing, empty or damaged, whose folder may not be read, or whose restore a kill interrupted at its end',
    repair:
      'rewritten from the repository and the ledger, if they have the content; the folder’s owner may read it again; the restore is ended',
  },
  'worktree-moved': {
    found:
      'a worktree in use that is registered under another path: the data directory or the repository was moved',
    repair: 'registered under its present path, as by `git worktree repair`',
  },
  'worktree-unregistered': {
    found:
      'a worktree in use that is not registered in its repository, or whose repository is missing',
    repair: null,
  },
  'stray-worktree': {
    found:
      'a folder two levels below `worktrees/` that no workspace uses, without files or with none that its branch lacks',
    repair: toTrash,
  },
  'stray-changes': {
    found:
      'such a folder with uncommitted work, or that Git can’t read, or while the ledger is damaged',
    repair: null,
  },
  'update-unsettled': {
    found:
      'files that an apply or its undo was writing when it was interrupted, and that no start could complete or roll back',
    repair: null,
  },
  'turn-store-damaged': {
    found:
      'a turn store without one of the files that Git needs, or with anything but a file in its place',
    repair: null,
    evenAtWork: true,
  },
  'tree-missing': {
    found: 'an entry refers to a state of the files that the turn store does not have',
    repair: null,
  },
  'temporary-file': {
    found:
      '`*.tmp`, `partial.json.<number>`, `lease.json.….prepared`, `*.shiplog-staged`, `*.shiplog-moved` from before this process',
    repair: `${toTrash}; the last two deleted, because a complete copy of their content exists elsewhere`,
  },
  'file-mode': {
    found:
      'a file that is not 0600, a folder that is not 0700, a data directory that others can write (not on Windows)',
    repair: 'set',
  },
  symlink: { found: 'a symbolic link in place of a file or folder of Shiplog’s own', repair: null },
  'special-file': {
    found: 'a pipe, socket, device or folder where a file should be',
    repair: null,
  },
  unreadable: { found: 'a file or folder can’t be read', repair: null },
}

/**
 * Harmless leftovers of a crash: nothing acknowledged is lost, because no caller had received an
 * answer. The next start repairs them automatically, as `--repair` would.
 */
export const tidiedAtStart: ReadonlySet<ProblemKind> = new Set([
  'index-missing',
  'index-incomplete',
  'orphan-session',
  'stray-worktree',
  'temporary-file',
])

/** The same, but left to `--repair`. */
export const crashResidue: readonly ProblemKind[] = ['torn-tail']
