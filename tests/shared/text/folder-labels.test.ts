import { expect, it } from 'vitest'
import { folderLabels } from '../../../src/shared/text/folder-labels.ts'
import fc from '../../random.ts'

const labelsOf = (...dirs: string[]) => [...folderLabels(dirs).values()]

it('names folders by their last part, and equal names also by their parent folders', () => {
  expect(labelsOf('/home/ada/lights', '/home/ada/api')).toEqual(['lights', 'api'])
  expect(labelsOf('/ada/new/lights', '/ada/old/lights', '/ada/api').toSorted()).toEqual([
    'api',
    'lights (new)',
    'lights (old)',
  ])
  expect(labelsOf('/ada/one/src/lights', '/ada/two/src/lights')).toEqual([
    'lights (one/src)',
    'lights (two/src)',
  ])
  expect(labelsOf('/lights', '/ada/lights')).toEqual(['lights', 'lights (ada)'])
  expect(labelsOf('C:\\new\\lights', 'C:\\old\\lights')).toEqual(['lights (new)', 'lights (old)'])
  expect(labelsOf('/', '/lights', '/lights')).toEqual(['/', 'lights'])
})

it('gives each folder a unique label', () => {
  const name = fc.constantFrom('a', 'b')
  const dir = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
  fc.assert(
    fc.property(fc.uniqueArray(dir, { maxLength: 8 }), (dirs) => {
      expect(new Set(folderLabels(dirs).values()).size).toBe(dirs.length)
    }),
  )
})
