import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { foldRules as ledgerRules } from '../../src/main/ledger/snapshot.ts'
import { foldRules as sessionRules, storedStateSchema } from '../../src/main/sessions/checkpoint.ts'
import { entrySchema } from '../../src/shared/records/entries.ts'
import { ledgerEventSchema } from '../../src/shared/records/ledger.ts'
import { projectSchema } from '../../src/shared/records/projects/projects.ts'
import { taskSchema } from '../../src/shared/records/tasks/tasks.ts'

/**
 * A stored fold is used only by a Shiplog with the same rules. Who changes a shape writes what is expected here into
 * the file named; who changes what a fold does raises the number before it.
 */
describe('the rules of a stored fold stand for the shapes that it is made from', () => {
  it.each([
    ['src/main/ledger/snapshot.ts', ledgerRules, [ledgerEventSchema, taskSchema, projectSchema]],
    ['src/main/sessions/checkpoint.ts', sessionRules, [entrySchema, storedStateSchema]],
  ])('%s', (_file, rules, shapes) => {
    const [number] = rules.split('-')
    expect(rules).toBe(`${number}-${fingerprintOf(shapes)}`)
  })
})

const fingerprintOf = (shapes: z.ZodType[]): string =>
  hash(
    'sha256',
    JSON.stringify(shapes.map((shape) => z.toJSONSchema(shape, { unrepresentable: 'any' }))),
    'base64url',
  )
