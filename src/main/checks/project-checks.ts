/** Derives the checks of a project from its files: its package scripts, or the defaults of its language. Pure. */
import { z } from 'zod'
import { type CheckKind, checkKinds } from '../../shared/contract/changes/checks.ts'
import { kindOfScriptName } from './programs.ts'
import { kindsOfScript, type Scripts } from './recognise.ts'

/** The files that define the checks, in the root of the project. */
export const projectFiles = ['package.json', 'Makefile'] as const

export interface ProjectChecks {
  scripts: Scripts
  known: { kind: CheckKind; command: string }[]
}

/** `names` are the entries of the project's root; `texts` are the contents of those in `projectFiles`. */
export function projectChecksOf(
  names: ReadonlySet<string>,
  texts: ReadonlyMap<string, string>,
): ProjectChecks {
  const scripts = scriptsIn(texts.get('package.json') ?? '')
  const manager = names.has('pnpm-lock.yaml') ? 'pnpm' : names.has('yarn.lock') ? 'yarn' : 'npm'
  const known = checkKinds.flatMap((kind) => {
    const fitting = [...scripts.keys()].filter((name) => kindsOfScript(name, scripts)[0] === kind)
    const [script] = fitting.toSorted(
      (a, b) => Number(isNamed(b, kind)) - Number(isNamed(a, kind)) || a.length - b.length,
    )
    if (script !== undefined)
      return [{ kind, command: script === 'test' ? `${manager} test` : `${manager} run ${script}` }]
    const command = kind === 'tests' ? testsOf(names) : null
    return command === null ? ofMakefile(kind, texts.get('Makefile') ?? '') : [{ kind, command }]
  })
  return { scripts, known }
}

const isNamed = (script: string, kind: CheckKind): boolean => kindOfScriptName(script) === kind

const packageSchema = z.object({ scripts: z.record(z.string(), z.string()) })

function scriptsIn(text: string): Scripts {
  try {
    return new Map(Object.entries(packageSchema.parse(JSON.parse(text)).scripts))
  } catch {
    return new Map()
  }
}

function ofMakefile(kind: CheckKind, text: string): { kind: CheckKind; command: string }[] {
  const target = { tests: 'test', types: 'typecheck', lint: 'lint', build: 'build' }[kind]
  return new RegExp(`^${target}\\s*:(?!=)`, 'm').test(text)
    ? [{ kind, command: `make ${target}` }]
    : []
}

const testsOf = (names: ReadonlySet<string>): string | null =>
  languages.find(([file]) => names.has(file))?.[1] ?? null

const languages: readonly (readonly [file: string, command: string])[] = [
  ['Cargo.toml', 'cargo test'],
  ['go.mod', 'go test ./...'],
  ['pytest.ini', 'pytest'],
  ['tox.ini', 'tox'],
  ['pom.xml', 'mvn test'],
  ['build.gradle', 'gradle test'],
  ['build.gradle.kts', 'gradle test'],
  ['mix.exs', 'mix test'],
  ['deno.json', 'deno test'],
]
