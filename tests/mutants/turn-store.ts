import type { Mutant } from './mutant.ts'

/** The files of every turn: which store keeps them, and for how long. */
export const turnStoreMutants: Mutant[] = [
  {
    id: 'turns-of-purged-root-kept',
    file: 'src/main/turn-store/turn-store.ts',
    find: '?.purged) return true',
    replace: '?.purged) return false',
    harm: 'The files of a deleted tree are never deleted.',
    tests: ['tests/turn-store'],
  },
  {
    id: 'turns-of-unknown-task-deleted',
    file: 'src/main/turn-store/turn-store.ts',
    find: '  if (!task) return false\n',
    replace: '  if (!task) return true\n',
    harm: 'A ledger that lost its end costs the files of every task that it no longer names.',
    tests: ['tests/turn-store'],
  },
  {
    id: 'turns-final-state-expires',
    file: 'src/main/turn-store/turn-store.ts',
    find: "return kind === 'session' && Boolean(",
    replace: 'return kind !== null && Boolean(',
    harm: "What a sub-agent changed can't be applied any more once its transcript has expired.",
    tests: ['tests/turn-store', 'tests/retention'],
  },
  {
    id: 'turns-in-store-of-outer-project',
    file: 'src/main/turn-store/places.ts',
    find: 'b.dir.length - a.dir.length',
    replace: 'a.dir.length - b.dir.length',
    harm: "The files of a project inside another one are stored with the outer one's, and deleted with them.",
    tests: ['tests/turn-store'],
  },
  {
    id: 'turns-of-removed-project-unreadable',
    file: 'src/main/turn-store/places.ts',
    find: 'return [state.projects, state.removedProjects]',
    replace: 'return [state.projects]',
    harm: 'Restoring an agent of a project that was removed from the list does not find its files.',
    tests: ['tests/turn-store', 'tests/workspaces/projects/moved-projects.test.ts'],
  },
  {
    id: 'review-comment-lost-with-its-line',
    file: 'src/main/review/line-history.ts',
    find: 'line.next = added[index] ?? added.at(-1) ?? null',
    replace: 'line.next = added[index] ?? null',
    harm: 'A comment on a line that was merged into the one above is shown nowhere.',
    tests: ['tests/review'],
  },
]
