import { describe, expect, it } from 'vitest'
import {
  environmentFormOf,
  environmentText,
  parseEnvironment,
} from '../../src/renderer/views/projects/environment-form.ts'
import {
  projectEnvironmentSchema,
  variablesMax,
} from '../../src/shared/records/projects/projects.ts'

describe('the form for the environment of agents', () => {
  it.each([
    { allowed: [], only: null },
    { allowed: ['NPM_TOKEN', 'STRIPE_KEY'], only: null },
    { allowed: [], only: [] },
    { allowed: [], only: ['JAVA_HOME', 'CI'] },
  ])('gives back what it was made of: %j', (environment) => {
    const parsed = parseEnvironment(environmentFormOf(environment))
    expect(parsed).toEqual({ environment, error: null })
    expect(projectEnvironmentSchema.parse(parsed.environment)).toEqual(environment)
  })

  it('shows a secret that is passed on beside a list as a part of the list', () => {
    const form = environmentFormOf({ allowed: ['TOKEN', 'CI'], only: ['CI'] })
    expect(parseEnvironment(form).environment).toEqual({ allowed: [], only: ['CI', 'TOKEN'] })
  })

  it('takes names apart by lines, commas and spaces, each once', () => {
    const form = { mode: 'others', secrets: ' A,B\n\nA C; ', listed: 'ignored=' } as const
    expect(parseEnvironment(form).environment).toEqual({ allowed: ['A', 'B', 'C'], only: null })
  })

  it('refuses a value, what is no name, and too many', () => {
    const of = (secrets: string) => parseEnvironment({ mode: 'others', secrets, listed: '' })
    expect(of('TOKEN=abc')).toMatchObject({ environment: null })
    expect(of('TOKEN=abc').error).toMatch(/^TOKEN=abc: give the name only/)
    expect(of('1ST').error).toMatch(/^1ST is not the name of a variable/)
    const names = Array.from({ length: variablesMax + 1 }, (_, index) => `V${index}`)
    expect(of(names.join(' ')).error).toMatch(/at most 50/)
    expect(of(names.slice(1).join(' ')).environment?.allowed).toHaveLength(variablesMax)
  })

  it('is said in a few words', () => {
    expect(environmentText({ allowed: [], only: null })).toBe('Everything except secrets')
    expect(environmentText({ allowed: ['A'], only: null })).toBe('Everything except secrets, and A')
    expect(environmentText({ allowed: ['A'], only: ['B'] })).toMatch(/^Only B, A and what every/)
    expect(environmentText({ allowed: [], only: [] })).toBe('Only what every program needs')
  })
})
