import { expect, it } from 'vitest'
import { rankFiles } from '../../../src/main/workspaces/files/rank-files.ts'

const files = [
  'README.md',
  'docs/CLI.md',
  'docs/composer/notes.md',
  'docs/grün/größe.md',
  'docs/日本語.md',
  'package.json',
  'src/main/tasks/task-service.ts',
  'src/renderer/components/composer/composer.stories.tsx',
  'src/renderer/components/composer/composer.tsx',
  'src/renderer/store/stores.ts',
  'tests/tasks/task-service.test.ts',
]

it.each([
  ['composer', 'src/renderer/components/composer/composer.tsx'],
  ['compstor', 'src/renderer/components/composer/composer.stories.tsx'],
  ['comp stor', 'src/renderer/components/composer/composer.stories.tsx'],
  ['cmpsr', 'src/renderer/components/composer/composer.tsx'],
  ['task-service', 'src/main/tasks/task-service.ts'],
  ['main/task-service.t', 'src/main/tasks/task-service.ts'],
  ['tests/task', 'tests/tasks/task-service.test.ts'],
  ['readme', 'README.md'],
  ['größe', 'docs/grün/größe.md'],
  ['日本', 'docs/日本語.md'],
  ['pkg', 'package.json'],
])('finds by %s first: %s', (query, first) => {
  expect(rankFiles(files, query, 5)[0]).toBe(first)
})

it('lists files of the top folder first before anything is typed, up to the limit', () => {
  expect(rankFiles(files, '', 3)).toEqual(['README.md', 'package.json', 'docs/CLI.md'])
  expect(rankFiles(files, ' s ', 2)).toHaveLength(2)
})

it('finds nothing for letters in no name, and treats special characters literally', () => {
  expect(rankFiles(files, 'xyzzy', 5)).toEqual([])
  expect(rankFiles(files, '.', 2)).toEqual(['README.md', 'docs/CLI.md'])
  expect(rankFiles(files, '((', 5)).toEqual([])
})

it('finds a file by name among more files than are compared closely', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => `src/view/view-${n}/review-model.ts`)
  expect(rankFiles([...many, 'z/view.ts'], 'view', 1)).toEqual(['z/view.ts'])
})
