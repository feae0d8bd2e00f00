import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { parseSync, Visitor } from 'vite'

/** What is recorded on disk, and the words for it. */
const record = ['shared', 'main/journal', 'main/ledger', 'main/sessions']
/** Who works on it. */
const services = ['main/artifacts', 'main/archive', 'main/workspaces']
const entryPointParts = [
  'shared',
  'main/hosts',
  'main/composition',
  'main/data-dir.ts',
  'main/version.ts',
]

/**
 * Which part of `src/` may import which: a folder is a permission. A part is the first folder of
 * `src/`, or of `src/main/` or `src/renderer/`, that a file lies in, or a file directly in one of these two. Every part may
 * import itself.
 *
 * Change a row together with docs/ARCHITECTURE.md, and say in the commit why.
 */
const importTable: Record<string, PartRow> = {
  // Both processes agree on it, so neither's own things can be in it.
  shared: { parts: [], packages: ['zod', '@orpc/contract', 'image-size'] },
  // A sandboxed preload can require nothing else.
  preload: { parts: [], packages: ['electron'] },
  // Runs in any browser as well: all it knows of the main side is the contract. Four layers, each below the next
  // but for components, which are given everything.
  'renderer/rpc': { parts: ['shared'], packages: 'browser' },
  'renderer/store': { parts: ['shared', 'renderer/rpc'], packages: 'browser' },
  'renderer/components': { parts: ['shared'], packages: 'browser' },
  'renderer/views': {
    parts: ['shared', 'renderer/rpc', 'renderer/store', 'renderer/components'],
    packages: 'browser',
  },
  'renderer/main.tsx': {
    parts: [
      'renderer/zod-without-eval.ts',
      'renderer/styles',
      'renderer/rpc',
      'renderer/store',
      'renderer/views',
    ],
    packages: 'browser',
  },
  'renderer/zod-without-eval.ts': { parts: [], packages: 'browser' },

  // Access to files through open folders; knows nothing of Shiplog.
  'main/open-folders': { parts: [], packages: 'node' },
  'main/git': { parts: ['shared', 'main/open-folders', 'main/processes'], packages: 'node' },
  // What is secret, and texts without it: pure but for the user's own `.env` files.
  'main/secrets': { parts: ['shared'], packages: 'node' },
  'main/journal': { parts: ['shared', 'main/open-folders'], packages: 'node' },
  // Our own log: nothing is read back from it.
  'main/log': { parts: ['shared', 'main/journal', 'main/secrets'], packages: 'node' },
  // What runs on this machine: who a process is, and the custody of those that Shiplog started.
  'main/processes': { parts: ['shared', 'main/journal'], packages: 'node' },
  // Patterns of others, matched in bounded time.
  'main/globs': { parts: [], packages: 'node' },
  // What threads of this process call each other through.
  'main/threads': { parts: [], packages: 'node' },
  // Which process may write a data directory.
  'main/lease': { parts: ['shared', 'main/journal', 'main/processes'], packages: 'node' },
  'main/ledger': { parts: ['shared', 'main/journal'], packages: 'node' },
  'main/sessions': { parts: ['shared', 'main/journal'], packages: 'node' },
  'main/artifacts': { parts: [...record, 'main/git'], packages: 'node' },
  // Where a transcript is, and what it says: the reader for everyone above.
  'main/archive': {
    parts: [...record, 'main/git', 'main/turn-store', 'main/artifacts'],
    packages: 'node',
  },
  'main/workspaces': {
    parts: [
      ...record,
      'main/globs',
      'main/open-folders',
      'main/git',
      'main/artifacts',
      'main/archive',
      'main/lease',
      'main/processes',
      'main/secrets',
    ],
    packages: 'node',
  },
  // The files of every turn; runs, tasks and the doctor ask it.
  'main/turn-store': { parts: [...record, 'main/git'], packages: 'node' },
  // One session at work. Which task it belongs to, and what comes after it, is for tasks to know.
  'main/runs': {
    parts: [...record, 'main/git', 'main/secrets', 'main/turn-store'],
    packages: 'node',
  },
  'main/tasks': {
    parts: [
      ...record,
      'main/git',
      'main/processes',
      'main/secrets',
      ...services,
      'main/runs',
      'main/turn-store',
    ],
    packages: 'node',
  },
  // Compares what the others left on disk; nobody but the contract calls it.
  'main/doctor': {
    parts: [...record, 'main/git', ...services, 'main/turn-store'],
    packages: 'node',
  },
  // How long what the others keep is kept; only the contract calls it.
  'main/retention': { parts: [...record, ...services], packages: 'node' },
  // What agents checked, by what the archive and the turn store hold; only the contract asks it.
  'main/checks': { parts: [...record, 'main/archive', 'main/turn-store'], packages: 'node' },
  // Who wrote the changes that are reviewed, by the same; only the contract asks it.
  'main/review': { parts: [...record, 'main/archive', 'main/turn-store'], packages: 'node' },
  // Commands that the user approved, for their own repository host; only the contract asks it.
  'main/publish': { parts: ['shared', 'main/processes', 'main/git'], packages: 'node' },
  // An index of what the archive reads; only the contract asks it.
  'main/search': { parts: [...record, 'main/archive', 'main/threads'], packages: 'node' },
  // What the archive reads, as files for others; only the contract asks it.
  'main/export': {
    parts: [...record, 'main/secrets', 'main/artifacts', 'main/archive'],
    packages: 'node',
  },
  // What others recorded, as archived roots; only the contract asks it.
  'main/imports': {
    // From agents: the price of a model's answer.
    parts: [
      ...record,
      'main/secrets',
      'main/artifacts',
      'main/archive',
      'main/export',
      'main/agents',
      'main/threads',
    ],
    packages: 'node',
  },
  // What the tools that read the record answer, to agents and to MCP clients: asked of the contract alone.
  'main/record-tools': { parts: ['shared'], packages: [] },
  // Logs that are open without being imported: each in a data directory and services of its own, which it is handed.
  'main/opened-logs': { parts: record, packages: 'node' },
  // Reached through interfaces that tasks declares, so that a kind of agent knows no service.
  'main/agents': {
    parts: ['shared', 'main/globs', 'main/journal', 'main/open-folders', 'main/processes'],
    packages: 'node',
  },
  'main/rpc': {
    parts: [
      ...record,
      'main/git',
      ...services,
      'main/tasks',
      'main/doctor',
      'main/retention',
      'main/search',
      'main/export',
      'main/checks',
      'main/review',
      'main/publish',
      'main/imports',
      'main/opened-logs',
    ],
    typesOf: ['main/log'],
    packages: 'node',
  },
  // Handed the composition root by the entry points: they know its type, and do not make it.
  'main/hosts': {
    // Verifying an export needs no data directory.
    parts: [
      ...record,
      'main/git',
      'main/lease',
      ...services,
      'main/export',
      'main/tasks',
      'main/rpc',
      'main/record-tools',
    ],
    typesOf: ['main/composition'],
    packages: 'node',
  },

  // The composition root alone knows everybody; the entry points know it and the hosts.
  'main/composition': { parts: 'all of main', packages: 'node' },
  'main/index.ts': { parts: entryPointParts, packages: 'electron' },
  'main/cli.ts': { parts: entryPointParts, packages: 'node' },
  // Programs of this system that are opened for the user.
  'main/system': { parts: ['shared', 'main/processes'], packages: 'node' },
  // What both entry points must know before there is anything to compose.
  'main/data-dir.ts': { parts: ['shared', 'main/journal'], packages: 'node' },
  'main/version.ts': { parts: [], packages: 'node', outside: ['package.json'] },
}

interface PartRow {
  parts: string[] | 'all of main'
  /** Parts whose types alone may be imported. */
  typesOf?: string[]
  /** Files that do not lie in src, from the root of the project. */
  outside?: string[]
  packages: string[] | 'node' | 'browser' | 'electron'
}

/** The sides of the app that may import a package; each dependency is listed in one of them. */
export const packageSides = {
  /** They need Node or Electron's main process, or do the main process's work: nothing for a page. */
  node: [
    '@agentclientprotocol/sdk',
    '@ai-sdk/anthropic',
    '@ai-sdk/google',
    '@ai-sdk/openai',
    '@ai-sdk/openai-compatible',
    '@leeoniya/ufuzzy',
    '@modelcontextprotocol/node',
    '@modelcontextprotocol/server',
    '@orpc/server',
    '@pydantic/genai-prices',
    '@vscode/ripgrep',
    'ai',
    'commander',
    'electron',
    'env-paths',
    'micromark',
    'micromark-extension-gfm',
    'open',
    'rotating-file-stream',
    'string-width',
    'turndown',
    'unbash',
    'vfile',
    'vfile-matter',
    'write-file-atomic',
    'ws',
    'yaml',
  ],
  /** They make pages: nothing for the main process. */
  page: [
    '@base-ui/react',
    '@pierre/diffs',
    '@tanstack/react-virtual',
    'ansi-sequence-parser',
    'cmdk',
    'lucide-react',
    'marked',
    'react',
    'react-dom',
    'react-json-view-lite',
    'shiki',
    'sonner',
    'streamdown',
    'zustand',
  ],
  both: [
    '@orpc/client',
    '@orpc/contract',
    'diff',
    'image-size',
    'pretty-bytes',
    'pretty-ms',
    'zod',
  ],
}
/** A story lies beside its component, shows it what the tests are fed with, and is in no build. */
const storySources = ['storybook/', 'tests/fixtures/']
/** The only folder that talks to Electron; its neighbours must run without. */
const desktopFolder = 'src/main/hosts/desktop/'

export interface SourceFile {
  /** From the root of the project, with forward slashes: `src/shared/records/ids.ts`. */
  path: string
  text: string
}

/** Breaches of the import table, each a sentence that names the file, the import and what is allowed. */
export function findForbiddenImports(files: SourceFile[]): string[] {
  return files.flatMap((file) => {
    const part = partOf(file.path)
    const row = part && importTable[part]
    if (!row) {
      return [
        `${file.path} lies in no part that the import table knows. Put it in one, or give its folder a row in tests/toolchain/import-table.ts and docs/ARCHITECTURE.md.`,
      ]
    }
    return importsOf(file).flatMap((imported) => {
      const problem = judge(file.path, part, row, imported)
      return problem ? [`${file.path} imports ${imported.specifier}: ${problem}`] : []
    })
  })
}

/** Files that import each other, also by way of others, each circle a sentence. Imports of types count. */
export function findCircularImports(files: SourceFile[]): string[] {
  const imports = new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier)),
    ]),
  )
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, above: string[]): void => {
    if (above.includes(path))
      found.push(`${[...above.slice(above.indexOf(path)), path].join(' imports ')}.`)
    else if (!done.has(path))
      for (const next of imports.get(path) ?? []) visit(next, [...above, path])
    done.add(path)
  }
  for (const path of imports.keys()) visit(path, [])
  return found
}

function judge(path: string, part: string, row: PartRow, imported: Import): string | undefined {
  if (!imported.specifier.startsWith('.')) {
    return isPackageAllowed(path, row, imported.specifier)
      ? undefined
      : `${part} may import ${packagesInWords(row)}.`
  }
  const target = posix.join(posix.dirname(path), imported.specifier)
  const targetPart = partOf(target)
  if (isStory(target) && !isStory(path)) return `stories are for Storybook; the app imports none.`
  if (targetPart === part) return undefined
  if (row.outside?.includes(target)) return undefined
  if (isStory(path) && storySources.some((folder) => target.startsWith(folder))) return undefined
  if (targetPart === undefined) return `it leads out of src. ${allowedInWords(part, row)}`
  if (row.parts === 'all of main') {
    return targetPart.startsWith('renderer/') || targetPart === 'preload'
      ? allowedInWords(part, row)
      : undefined
  }
  if (row.parts.includes(targetPart)) return undefined
  if (imported.typeOnly && row.typesOf?.includes(targetPart)) return undefined
  return allowedInWords(part, row)
}

function isStory(path: string): boolean {
  return /\.stories\.tsx?$/.test(path)
}

function partOf(path: string): string | undefined {
  const [source, first, second] = path.split('/')
  if (source !== 'src' || !first) return undefined
  return first === 'main' || first === 'renderer' ? `${first}/${second}` : first
}

function isPackageAllowed(path: string, row: PartRow, specifier: string): boolean {
  const name = packageName(specifier)
  const fromNode = specifier.startsWith('node:') || builtinModules.includes(name)
  if (Array.isArray(row.packages)) return row.packages.includes(name)
  if (row.packages === 'browser') return !fromNode && !packageSides.node.includes(name)
  if (name === 'electron') return row.packages === 'electron' || path.startsWith(desktopFolder)
  return fromNode || !packageSides.page.includes(name)
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function packagesInWords(row: PartRow): string {
  if (Array.isArray(row.packages)) return `no package but ${row.packages.join(', ')}`
  if (row.packages === 'browser')
    return 'no part of Node or Electron, and no package that needs one'
  const electron =
    row.packages === 'electron'
      ? ''
      : ` and not electron (${desktopFolder} and src/main/index.ts may)`
  return `Node and packages for it, not those that make pages${electron}`
}

function allowedInWords(part: string, row: PartRow): string {
  if (row.parts === 'all of main') return `${part} may import shared and all of main.`
  const types = row.typesOf ? `, and types of ${row.typesOf.join(', ')}` : ''
  return `${part} may import ${row.parts.join(', ') || 'no other part'}${types}.`
}

interface Import {
  specifier: string
  typeOnly: boolean
}

const importsRead = new WeakMap<SourceFile, Import[]>()

/** Every import, export-from, import() and import type of a file. */
function importsOf(file: SourceFile): Import[] {
  const imports = importsRead.get(file) ?? readImports(file)
  importsRead.set(file, imports)
  return imports
}

function readImports({ path, text }: SourceFile): Import[] {
  const parsed = parseSync(path, text)
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0]?.message}`)
  const found: Import[] = []
  const add = (specifier: unknown, typeOnly: boolean) => {
    if (typeof specifier !== 'string') {
      throw new Error(`${path}: an import() of something computed cannot be checked`)
    }
    found.push({ specifier, typeOnly })
  }
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.importKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source.value, node.exportKind === 'type')
    },
    ImportExpression: (node) => add(node.source.type === 'Literal' && node.source.value, false),
    TSImportType: (node) => add(node.source.value, true),
  }).visit(parsed.program)
  return found
}
