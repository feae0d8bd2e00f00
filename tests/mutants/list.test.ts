import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mutants } from './index.ts'
import killers from './killed-by.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')

it('gives each fault a unique name', () => {
  const ids = mutants.map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

it('records killers of listed faults only', () => {
  const ids = new Set(mutants.map(({ id }) => id))
  expect(Object.keys(killers).filter((id) => !ids.has(id))).toEqual([])
})

it.each(mutants.map((mutant) => [mutant.id, mutant] as const))(
  '%s can be put into the code as it is now',
  (_, { file, find, replace, tests }) => {
    expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([])
  },
)
