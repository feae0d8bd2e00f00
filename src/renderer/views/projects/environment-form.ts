/** The form for the environment variables of a project's agents, as text while it is edited. Pure. */
import {
  type ProjectEnvironment,
  variableNameSchema,
  variablesMax,
} from '../../../shared/records/projects/projects.ts'

export interface EnvironmentForm {
  /** `others`: everything that is not secret. `listed`: only the variables that are named. */
  mode: 'others' | 'listed'
  /** Names of secrets that are passed on as well. */
  secrets: string
  /** Names of the variables that are passed on. */
  listed: string
}

interface ParsedEnvironment {
  /** Null while there is an error. */
  environment: ProjectEnvironment | null
  /** The error in the names that the mode shows; null if there is none. */
  error: string | null
}

export function environmentFormOf({ allowed, only }: ProjectEnvironment): EnvironmentForm {
  const text = (names: readonly string[]) => names.join('\n')
  return only === null
    ? { mode: 'others', secrets: text(allowed), listed: '' }
    : // A listed variable is passed on even if it is secret, so one list is enough.
      { mode: 'listed', secrets: '', listed: text([...new Set([...only, ...allowed])]) }
}

/** Adds names to the list that the mode shows. */
export function withNames(form: EnvironmentForm, names: readonly string[]): EnvironmentForm {
  const field = form.mode === 'listed' ? 'listed' : 'secrets'
  return { ...form, [field]: [...new Set([...namesIn(form[field]), ...names])].join('\n') }
}

export function parseEnvironment({ mode, secrets, listed }: EnvironmentForm): ParsedEnvironment {
  const names = namesIn(mode === 'listed' ? listed : secrets)
  const wrong = names.find((name) => !variableNameSchema.safeParse(name).success)
  if (wrong !== undefined)
    return {
      environment: null,
      error: wrong.includes('=')
        ? `${wrong}: give the name only, without a value.`
        : `${wrong} is not the name of a variable: use letters, digits and _.`,
    }
  if (names.length > variablesMax)
    return {
      environment: null,
      error: `${names.length} names are too many: at most ${variablesMax}.`,
    }
  return {
    environment: mode === 'listed' ? { allowed: [], only: names } : { allowed: names, only: null },
    error: null,
  }
}

/** The variables as one clause, for a list of projects. */
export function environmentText({ allowed, only }: ProjectEnvironment): string {
  if (only !== null) {
    const names = new Set([...only, ...allowed])
    return names.size === 0
      ? 'Only what every program needs'
      : `Only ${[...names].join(', ')} and what every program needs`
  }
  return allowed.length === 0
    ? 'Everything except secrets'
    : `Everything except secrets, and ${allowed.join(', ')}`
}

const namesIn = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((name) => name !== '')),
]
