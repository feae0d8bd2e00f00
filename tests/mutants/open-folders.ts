import type { Mutant } from './mutant.ts'

/** Deleting and changing files through open folders. */
export const openFoldersMutants: Mutant[] = [
  {
    id: 'open-folders-follow-links',
    file: 'src/main/open-folders/open-folders.ts',
    find: 'export const folderFlags = pathOnly | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)',
    replace: 'export const folderFlags = pathOnly | (constants.O_DIRECTORY ?? 0)',
    harm: 'A removal deletes the files to which a link leads that an agent put in the place of a folder.',
    tests: ['tests/git/snapshots/remove-tree.test.ts'],
  },
  {
    id: 'open-folders-any-folder-above',
    file: 'src/main/open-folders/walk-folders.ts',
    find: '=== identity) return found',
    replace: '!== "") return found',
    harm: 'A removal goes on in another folder, to which the folder that it is in was moved.',
    tests: ['tests/git/snapshots/remove-tree.test.ts'],
  },
  {
    id: 'open-folders-removed-unasked',
    file: 'src/main/open-folders/remove-tree.ts',
    find: '      await before?.(folder)\n',
    replace: '',
    harm: 'A removal deletes what is mounted in the folder, such as a network drive.',
    tests: ['tests/workspaces/removal/mounts.test.ts'],
  },
  {
    id: 'open-folders-by-path-unasked',
    file: 'src/main/open-folders/remove-tree.ts',
    find: '  await before({ held: path, below: () => path.subarray(top.length + 1) })\n',
    replace: '',
    harm: 'Where open folders have no paths, a removal fails at a read-only folder, or deletes what is mounted.',
    tests: ['tests/journal/remove-by-path.test.ts'],
  },
  {
    id: 'open-folders-held-by-path',
    file: 'src/main/open-folders/open-folders.ts',
    find: 'use(Buffer.from(held)).catch(namingFolder(held, String(path)))',
    replace: 'use(Buffer.from(path)).catch(namingFolder(held, String(path)))',
    harm: 'A folder of the user gets another mode, because a link to it replaced the one that was checked.',
    tests: [
      'tests/workspaces/file-updates/replaced-folders.test.ts',
      'tests/workspaces/removal/restore-leftovers.test.ts',
    ],
  },
]
