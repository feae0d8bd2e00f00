import { posix } from 'node:path'
import { parseSync, Visitor } from 'vite'
import type { SourceFile } from './import-table.ts'

/**
 * Names that a file in `src/` exports and no other file of the project takes, each a sentence. Handing a name
 * on (`export … from`) is an export of its own, and takes the name from where it comes. Who asks for a whole
 * file (`import()`, a namespace whose members can't be told) takes all of it. Stories are Storybook's.
 */
export function findUnusedExports(files: SourceFile[]): string[] {
  const modules = new Map(files.map((file) => [file.path, readModule(file)]))
  const taken = new Set<string>()
  const isReserved = (path: string, name: string) => taken.has(`${path} ${name}`)

  function take(path: string, name: string): void {
    if (isReserved(path, name)) return
    taken.add(`${path} ${name}`)
    for (const target of modules.get(path)?.handsOnAllOf ?? []) take(target, name)
  }

  for (const { takes } of modules.values()) for (const { path, name } of takes) take(path, name)
  const isJudged = (path: string) => path.startsWith('src/') && !/\.stories\.tsx?$/.test(path)
  return [...modules.keys()]
    .filter(isJudged)
    .flatMap((path) =>
      (modules.get(path)?.exports ?? [])
        .filter((name) => !isReserved(path, name) && !isReserved(path, everything))
        .map(
          (name) => `${path} exports ${name}, and nobody imports it: drop the word, or the code.`,
        ),
    )
}

/** In place of a name: all of a file. */
const everything = '*'

interface Module {
  exports: string[]
  /** Files whose names this one hands on without naming them. */
  handsOnAllOf: string[]
  takes: { path: string; name: string }[]
}

function readModule({ path, text }: SourceFile): Module {
  const parsed = parseSync(path, text)
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0]?.message}`)
  const module: Module = { exports: [], handsOnAllOf: [], takes: [] }
  /** Names that stand for a whole file, and what of it is asked for by them. */
  const namespaces = new Map<string, { path: string; members: Set<string> }>()
  const targetOf = (specifier: string) =>
    specifier.startsWith('.')
      ? posix.join(posix.dirname(path), specifier.replace(/\?.*$/, ''))
      : null
  const takeFrom = (specifier: unknown, name: string) => {
    const target = typeof specifier === 'string' ? targetOf(specifier) : null
    if (target !== null) module.takes.push({ path: target, name })
  }

  new Visitor({
    ImportDeclaration({ source, specifiers }) {
      for (const specifier of specifiers) {
        if (specifier.type === 'ImportSpecifier') takeFrom(source.value, nameOf(specifier.imported))
        else if (specifier.type === 'ImportDefaultSpecifier') takeFrom(source.value, 'default')
        else {
          const target = targetOf(source.value)
          if (target) namespaces.set(specifier.local.name, { path: target, members: new Set() })
        }
      }
    },
    ExportNamedDeclaration({ source, specifiers, declaration }) {
      for (const { local, exported } of specifiers) {
        module.exports.push(nameOf(exported))
        if (source) takeFrom(source.value, nameOf(local))
      }
      if (!declaration) return
      if (declaration.type === 'VariableDeclaration') {
        for (const { id } of declaration.declarations) {
          if (id.type !== 'Identifier') throw new Error(`${path}: export each name by itself`)
          module.exports.push(id.name)
        }
      } else if ('id' in declaration && declaration.id?.type === 'Identifier')
        module.exports.push(declaration.id.name)
    },
    ExportDefaultDeclaration: () => void module.exports.push('default'),
    ExportAllDeclaration({ source, exported }) {
      const target = targetOf(source.value)
      if (!target) return
      if (!exported) module.handsOnAllOf.push(target)
      else {
        module.exports.push(nameOf(exported))
        takeFrom(source.value, everything)
      }
    },
    ImportExpression: ({ source }) =>
      takeFrom(source.type === 'Literal' && source.value, everything),
    TSImportType: ({ source, qualifier }) =>
      takeFrom(source.value, qualifier?.type === 'Identifier' ? qualifier.name : everything),
    MemberExpression({ object, property }) {
      if (object.type === 'Identifier' && property.type === 'Identifier')
        namespaces.get(object.name)?.members.add(property.name)
    },
    TSQualifiedName({ left, right }) {
      if (left.type === 'Identifier') namespaces.get(left.name)?.members.add(right.name)
    },
  }).visit(parsed.program)

  for (const { path: target, members } of namespaces.values())
    for (const name of members.size > 0 ? members : [everything])
      module.takes.push({ path: target, name })
  return module
}

const nameOf = (name: { name: string } | { value: string }): string =>
  'name' in name ? name.name : name.value
