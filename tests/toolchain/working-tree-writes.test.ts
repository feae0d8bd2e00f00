import { describe, expect, it } from 'vitest'
import { projectFiles, readProjectFile } from './tracked-files.ts'

/**
 * Where Git writes files of a working tree, and why nothing of a user's can be lost there. An apply and its undo write
 * by `src/main/workspaces/file-updates`, which calls none of these.
 */
const gitWriters: Record<string, string> = {
  'src/main/git/update/plan.ts': 'into a scratch folder',
  'src/main/git/worktrees/converted-files.ts': 'into a folder of its own',
  'src/main/git/worktrees/worktrees.ts': 'into a worktree that was just created',
  'src/main/git/worktrees/restore-worktree.ts': 'into a worktree that was just created',
  'src/main/git/worktrees/sparse-checkout.ts': 'into a worktree that was just created',
  'src/main/git/worktrees/rebase-and-switch.ts':
    'only if the folder is clean, and over no ignored file',
}

/** Files of `src/main/workspaces` that write or delete files by themselves, and which ones. */
const fileWriters: Record<string, string> = {
  'src/main/workspaces/file-updates/beside.ts': 'the transaction itself',
  'src/main/workspaces/file-updates/replace-checked.ts': 'the transaction itself',
  'src/main/workspaces/file-updates/swap-files.ts': 'the transaction itself',
  'src/main/workspaces/leftovers/delete-files.ts': 'files in the trash that the saved patch holds',
  'src/main/workspaces/leftovers/restore-leftovers.ts': 'files as they were checked out',
  'src/main/workspaces/project-config.ts': 'copies into a worktree, over no file',
  'src/main/workspaces/sandbox/git-links.ts': 'links in the folder of Git',
  'src/main/workspaces/sandbox/sandboxes.ts': 'an empty configuration in the folder of Git',
  'src/main/workspaces/working-dirs.ts': 'markers in the data directory',
}

/** In a list of arguments, given to a call or kept for one. `apply --cached` writes an index. */
const gitWrites =
  /(?:\b(?:git|all)\(|= )\s*\[(?:[^\]](?!\n\n))*?(?:'(?:checkout-index|checkout|reset|restore|switch|stash|am|clean|merge|rebase|cherry-pick|revert|pull|rm|mv)'(?![^\]]*\] as const)|'read-tree',\s*'-u'|'apply'(?!,\s*'--cached'))/
const writingCalls =
  /(?<![.\w])(?:rename|link|symlink|unlink|rm|cp|copyFile|writeFile|appendFile|truncate)\(/

const sources = projectFiles().filter((path) => /^src\/main\/.*\.ts$/.test(path))

const writesByGit = (path: string, text: string): boolean =>
  path.startsWith('src/main/git/') && gitWrites.test(text)

const writesItself = (path: string, text: string): boolean =>
  path.startsWith('src/main/workspaces/') &&
  /from 'node:fs(?:\/promises)?'/.test(text) &&
  writingCalls.test(text)

describe('files of a working tree', () => {
  it.each([
    ['Git', writesByGit, gitWriters],
    ['workspaces', writesItself, fileWriters],
  ] as const)(
    '[R3] are written by %s only where that is known to lose nothing',
    (_, writes, known) => {
      const writers = sources.filter((path) => writes(path, readProjectFile(path)))
      expect(writers.toSorted()).toEqual(Object.keys(known).toSorted())
    },
  )

  it.each([
    "await git(['checkout-index', '--force', '--all'], { cwd: topLevel })",
    "await git(['reset', '--hard'], { cwd: topLevel })",
    "await all(['read-tree', '-u', '-m', tree], { cwd: topLevel })",
    "const args = ['apply', '--index', '-']",
    "await git([...here, 'stash'], { cwd: topLevel })",
    "await git(\n  [\n    'checkout',\n    '--force',\n  ],\n  { cwd },\n)",
  ])('[R3] the rule sees %s', (text) => {
    expect(writesByGit('src/main/git/merge/a.ts', text)).toBe(true)
  })

  it.each([
    "const apply = ['apply', '--cached', '--binary']",
    "await git(['read-tree', tree], run)",
    "const filterParts = ['clean', 'smudge'] as const",
  ])('[R3] the rule lets an index be written: %s', (text) => {
    expect(writesByGit('src/main/git/merge/a.ts', text)).toBe(false)
  })

  it('[R3] the rule sees a file that is replaced beside the transaction', () => {
    const text = "import { rename } from 'node:fs/promises'\nawait rename(made, file)"
    expect(writesItself('src/main/workspaces/changes/apply.ts', text)).toBe(true)
    expect(writesItself('src/main/workspaces/changes/apply.ts', 'state.rename(id)')).toBe(false)
  })
})
