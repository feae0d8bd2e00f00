import type { Mutant } from './mutant.ts'

/** What Git is called with, and what is never lost in a repository. */
export const gitMutants: Mutant[] = [
  {
    id: 'git-fetches-unasked',
    file: 'src/main/git/command/environment.ts',
    find: "    GIT_NO_LAZY_FETCH: '1',\n    GIT_ALLOW_PROTOCOL: noProtocol,\n",
    replace: '',
    harm: 'A repository that somebody sent runs a command of its own when it is added.',
    tests: ['tests/git/environment.test.ts', 'tests/git/hostile/commands.test.ts'],
  },
  {
    id: 'git-fsmonitor-runs',
    file: 'src/main/git/command/environment.ts',
    find: "  'core.fsmonitor=false',\n",
    replace: '',
    harm: "A command that a repository's configuration names runs with each look at its files.",
    tests: ['tests/git/hostile/commands.test.ts', 'tests/git/run.test.ts'],
  },
  {
    id: 'git-host-variables-passed',
    file: 'src/main/git/command/environment.ts',
    find: 'if (wanted.has(comparable(name))) env[name] = value',
    replace: 'if (wanted) env[name] = value',
    harm: 'A GIT_DIR or GIT_SSH_COMMAND of the shell from which Shiplog was started decides what Git does.',
    tests: ['tests/git/environment.test.ts', 'tests/git/hostile/commands.test.ts'],
  },
  {
    id: 'git-younger-index',
    file: 'src/main/git/snapshots/snapshot.ts',
    find: '    await utimes(indexFile, seconds, seconds)\n',
    replace: '    void seconds\n',
    harm: 'A change of the same size in the same moment as the last checkout is in no snapshot.',
    tests: ['tests/git/snapshot.test.ts'],
  },
  {
    id: 'git-moved-branch-deleted',
    file: 'src/main/git/worktrees/worktrees.ts',
    find: "  if (at !== undefined && tip !== at) return 'moved-on'\n",
    replace: '',
    harm: 'A branch is deleted although a person has committed on it since.',
    tests: ['tests/git/worktrees.test.ts'],
  },
  {
    id: 'git-repository-removed',
    file: 'src/main/git/worktrees/worktrees.ts',
    find: '  await refuseItsRepository(worktreePath, repoDir)\n',
    replace: '',
    harm: 'A wrong path in the record deletes the folder that holds the repository.',
    tests: ['tests/git/worktrees.test.ts'],
  },
  {
    id: 'git-patch-unsynced',
    file: 'src/main/git/changes/patches.ts',
    find: '      await handle.sync()\n',
    replace: '',
    harm: 'After a power cut the worktree is gone, and its patch is empty.',
    tests: [
      'tests/crash/barriers.test.ts',
      'tests/git/patches.test.ts',
      'tests/crash/services.test.ts',
    ],
  },
  {
    id: 'git-dirty-folder-switched',
    file: 'src/main/git/worktrees/rebase-and-switch.ts',
    find: '  if (!(await isClean(git, dir))) return false\n',
    replace: '',
    harm: "A person's uncommitted work is carried to another branch.",
    tests: ['tests/git/worktrees.test.ts', 'tests/tasks/drift/restore.test.ts'],
  },
]
