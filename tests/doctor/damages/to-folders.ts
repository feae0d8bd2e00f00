/** Damages to where things lie: folders of no task, worktrees, left-over files, modes, and what is no file. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { openJournal } from '../../../src/main/journal/index.ts'
import { git } from '../../harness.ts'
import { onlyIn, type Patient } from '../patient.ts'
import { type Damage, strayId, trashed } from './damage.ts'

const strayIn = (dataDir: string): string => join(onlyIn(join(dataDir, 'worktrees')), 'deadbeef')

/** Adds a worktree that no workspace uses. Returns its path. */
function addStray({ dataDir, fixture }: Patient): string {
  const path = strayIn(dataDir)
  git(fixture.project.dir, 'worktree', 'add', '-q', '-b', 'stray', path)
  return path
}

const keptStray = (why: string, harm: Damage['harm']): Damage => ({
  kind: 'stray-changes',
  why,
  harm,
  at: /\/deadbeef$/,
  detail: /may hold work that was not committed; it is kept/,
  repairable: false,
})

export const damagesToFolders: Damage[] = [
  {
    kind: 'orphan-session',
    why: 'a session directory made before a task’s first event',
    harm: async ({ dataDir }) => {
      const dir = join(dataDir, 'sessions', strayId)
      await mkdir(join(dir, 'scenarios'), { recursive: true, mode: 0o700 })
      await writeFile(join(dir, 'scenarios/0.yaml'), 'version: 1', { mode: 0o600 })
    },
    at: new RegExp(`^sessions/${strayId}$`),
    detail: /no such task; nothing was recorded/,
    repairable: true,
    kept: (patient) => trashed(patient, `sessions/${strayId}/scenarios/0.yaml`),
  },
  {
    kind: 'orphan-record',
    why: 'a session directory with a transcript that the ledger does not know',
    harm: async ({ dataDir }) => {
      const dir = join(dataDir, 'sessions', strayId)
      await mkdir(dir, { mode: 0o700 })
      await writeFile(join(dir, 'chat.jsonl'), '', { mode: 0o600 })
    },
    at: new RegExp(`^sessions/${strayId}$`),
    detail: /kept where it is/,
    repairable: false,
    kept: ({ dataDir }) => {
      expect(existsSync(join(dataDir, 'sessions', strayId, 'chat.jsonl'))).toBe(true)
    },
  },
  {
    kind: 'orphan-archive',
    why: 'an archive directory without a root',
    harm: ({ dataDir }) =>
      mkdir(join(dataDir, 'archive', strayId), { recursive: true }).then(async () => {
        await chmod(join(dataDir, 'archive'), 0o700)
        await chmod(join(dataDir, 'archive', strayId), 0o700)
      }),
    at: new RegExp(`^archive/${strayId}$`),
    detail: /no such task; it is kept/,
    repairable: false,
  },
  {
    kind: 'worktree-missing',
    why: 'a worktree deleted by hand',
    harm: ({ dataDir }) => {
      const project = onlyIn(join(dataDir, 'worktrees'))
      return rm(onlyIn(project), { recursive: true })
    },
    at: /^worktrees\/[^/]+\/[0-9a-f]{8}$/,
    detail: /"Do it" works in is gone/,
    repairable: false,
  },
  {
    kind: 'worktree-missing',
    why: 'a worktree without any file, whose restore was killed',
    harm: async ({ dataDir }) => {
      const worktree = onlyIn(onlyIn(join(dataDir, 'worktrees')))
      await rm(worktree, { recursive: true })
      await mkdir(worktree)
    },
    at: /^worktrees\/[^/]+\/[0-9a-f]{8}$/,
    detail: /"Do it" works in is empty, or incomplete/,
    repairable: false,
  },
  {
    kind: 'worktree-moved',
    why: 'a worktree that Git looks for elsewhere',
    harm: async ({ fixture }) => {
      const files = onlyIn(join(fixture.project.dir, '.git', 'worktrees'))
      const before = join(fixture.dir, 'elsewhere', basename(files), '.git')
      await writeFile(join(files, 'gitdir'), `${before}\n`)
    },
    at: /^worktrees\/[^/]+\/[0-9a-f]{8}$/,
    detail: /has it registered in another place/,
    repairable: true,
    kept: ({ dataDir, fixture }) => {
      const worktree = onlyIn(onlyIn(join(dataDir, 'worktrees')))
      expect(git(fixture.project.dir, 'worktree', 'list')).toContain(worktree)
    },
  },
  {
    kind: 'worktree-unregistered',
    why: 'a worktree that Git forgot',
    harm: ({ fixture }) => rm(join(fixture.project.dir, '.git', 'worktrees'), { recursive: true }),
    at: /^worktrees\/[^/]+\/[0-9a-f]{8}$/,
    detail: /Git does not know it/,
    repairable: false,
  },
  {
    kind: 'worktree-unregistered',
    why: 'a project that is gone',
    harm: ({ fixture }) => rename(fixture.project.dir, `${fixture.project.dir}-elsewhere`),
    at: /^worktrees\/[^/]+\/[0-9a-f]{8}$/,
    detail: /there is no repository in .*project any more; if the project was moved, add it/,
    repairable: false,
  },
  {
    kind: 'stray-worktree',
    why: 'a worktree that nobody works in',
    harm: async (patient) => void addStray(patient),
    at: /\/deadbeef$/,
    detail: /no workspace works here, and all in it is committed/,
    repairable: true,
    kept: (patient) => trashed(patient, 'deadbeef/README.md'),
  },
  keptStray('a worktree that nobody works in, with uncommitted work', async (patient) => {
    await writeFile(join(addStray(patient), 'loose.txt'), 'mine')
  }),
  keptStray(
    'a worktree that nobody works in, with a file that its repository ignores',
    async (patient) => {
      await writeFile(join(addStray(patient), 'mine.log'), 'mine')
      const info = join(patient.fixture.project.dir, '.git/info')
      await mkdir(info, { recursive: true })
      await appendFile(join(info, 'exclude'), '*.log\n')
    },
  ),
  keptStray(
    'a worktree that nobody works in, with a change that Git was told not to see',
    async (patient) => {
      const path = addStray(patient)
      git(path, 'update-index', '--skip-worktree', 'README.md')
      await writeFile(join(path, 'README.md'), 'mine')
    },
  ),
  keptStray('a folder with files that is no worktree', async ({ dataDir }) => {
    const path = strayIn(dataDir)
    await mkdir(path)
    await writeFile(join(path, 'notes.txt'), 'mine')
  }),
  {
    kind: 'update-unsettled',
    why: 'an apply that was interrupted, to a folder that is not there',
    harm: async ({ dataDir, fixture, leafId }) => {
      const ledger = await openJournal(join(dataDir, 'ledger.jsonl'))
      const root = join(fixture.dir, 'on-a-drive-that-is-not-there')
      const update = { updateId: strayId, reason: 'apply', dir: root, root, files: 1 }
      const commit = 'a'.repeat(40)
      await ledger.append({
        v: 1,
        type: 'files.update-started',
        taskId: leafId,
        ...update,
        commit,
      })
      await ledger.close()
    },
    at: /^ledger\.jsonl$/,
    detail: /^applying "Leaf" to .*on-a-drive-that-is-not-there was interrupted/,
    repairable: false,
  },
  {
    kind: 'turn-store-damaged',
    why: 'a store that lost a file of Git’s',
    harm: ({ dataDir }) => rm(join(onlyIn(join(dataDir, 'turn-store')), 'HEAD')),
    at: /^turn-store\/.*\/HEAD$/,
    detail: /the files of turns/,
    repairable: false,
  },
  {
    kind: 'tree-missing',
    why: 'a store that lost its objects',
    harm: async ({ dataDir }) => {
      const packs = join(onlyIn(join(dataDir, 'turn-store')), 'objects/pack')
      await rm(packs, { recursive: true })
      await mkdir(packs)
    },
    // States of two agents.
    also: ['tree-missing'],
    at: /^turn-store$/,
    detail: /lacks \d+ of \d+ states of the files of "/,
    repairable: false,
  },
  {
    kind: 'temporary-file',
    why: 'what a process that died was writing',
    harm: ({ session }) =>
      writeFile(session(`subagent-reports.json.${strayId}.tmp`), '{"ver', { mode: 0o600 }),
    at: /\.tmp$/,
    detail: /^5 bytes/,
    repairable: true,
    kept: (patient) => trashed(patient, '.tmp'),
  },
  {
    kind: 'file-mode',
    why: 'a file that others can read',
    harm: ({ session }) => chmod(session('chat.jsonl'), 0o644),
    at: /chat\.jsonl$/,
    detail: /its mode is 0644 and should be 0600/,
    repairable: true,
  },
  {
    kind: 'file-mode',
    why: 'a folder that can’t be entered',
    harm: ({ session }) => chmod(session('subagent-patches'), 0o755),
    at: /subagent-patches$/,
    detail: /0755 and should be 0700/,
    repairable: true,
  },
  {
    kind: 'symlink',
    why: '[A3] a link in place of a folder',
    harm: async ({ fixture, session }) => {
      const elsewhere = join(fixture.dir, 'elsewhere')
      await rename(session('blobs'), elsewhere)
      await symlink(elsewhere, session('blobs'))
    },
    at: /blobs$/,
    detail: /never followed/,
    repairable: false,
    also: ['blob-missing'],
  },
  {
    kind: 'special-file',
    why: 'a pipe, which nobody may wait at',
    harm: async ({ session }) => execFileSync('mkfifo', [session('file-history')]),
    at: /file-history$/,
    detail: /a pipe/,
    repairable: false,
  },
]
