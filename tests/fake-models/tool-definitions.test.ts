import { describe, expect, it } from 'vitest'
import { findToolProblem } from './tool-definitions.ts'

const problemOf = (schema: unknown) => findToolProblem([{ name: 'read', schema }], /^\w+$/)
const withProperty = (schema: unknown) => ({ type: 'object', properties: { a: schema } })

describe('the schema of a tool', () => {
  it.each([
    { type: 'object' },
    { type: 'object', additionalProperties: false, required: [] },
    withProperty(true),
    withProperty({ type: ['string', 'null'], minLength: 0, pattern: '^\\p{L}+$' }),
    withProperty({ enum: ['a', null], description: 'One of two.' }),
    withProperty({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] }),
    { ...withProperty({ $ref: '#/$defs/a~1b' }), $defs: { 'a/b': { type: 'string' } } },
    withProperty({ $ref: '#' }),
  ])('is right: %j', (schema) => {
    expect(problemOf(schema)).toBeUndefined()
  })

  it.each<[unknown, string]>([
    [null, 'a schema must be an object'],
    [[], 'a schema must be an object'],
    [{}, "schema must be of type 'object', got 'undefined'"],
    [withProperty(null), '/properties/a is neither an object nor a boolean'],
    [withProperty({ type: 'text' }), '/properties/a/type is not a JSON Schema type: "text"'],
    [
      withProperty({ type: ['string', 1] }),
      '/properties/a/type is not a JSON Schema type: ["string",1]',
    ],
    [{ type: 'object', required: true }, '/required is not a list of names'],
    [{ type: 'object', required: [1] }, '/required is not a list of names'],
    [withProperty({ enum: [] }), '/properties/a/enum is not a list of values'],
    [{ type: 'object', properties: [] }, '/properties is not an object'],
    [withProperty({ anyOf: [] }), '/properties/a/anyOf is not a list of schemas'],
    [withProperty({ items: [] }), '/properties/a/items is neither an object nor a boolean'],
    [
      withProperty({ anyOf: [{}, { type: 1 }] }),
      '/properties/a/anyOf/1/type is not a JSON Schema type: 1',
    ],
    [withProperty({ minLength: -1 }), '/properties/a/minLength is not a count'],
    [withProperty({ pattern: '(' }), '/properties/a/pattern is not a regular expression'],
    [withProperty({ $ref: '#/$defs/b' }), '/properties/a/$ref leads nowhere: #/$defs/b'],
    [withProperty({ $ref: 'other.json' }), '/properties/a/$ref leads nowhere: other.json'],
  ])('is wrong: %j', (schema, why) => {
    expect(problemOf(schema)).toEqual({ kind: 'schema', index: 0, name: 'read', why })
  })
})
