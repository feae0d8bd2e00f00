/** Reads the agent definitions of a folder: the built-in ones and those of its repository. */
import { createHash } from 'node:crypto'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { systemCode } from '../../journal/index.ts'
import { decodeText } from '../tools/files/text-file.ts'
import type { FilesInside } from '../tools/inside/index.ts'
import { builtInTexts } from './built-in.ts'
import { type AgentDefinition, builtInSource, type DefinitionContent } from './definition.ts'
import { parseClaudeDefinition } from './parse-claude-definition.ts'
import { parseDefinition } from './parse-definition.ts'

/** In order of precedence: of two definitions with the same name the first is used. */
const folders = [
  { dir: '.shiplog/agents', parse: parseDefinition },
  { dir: '.claude/agents', parse: parseClaudeDefinition },
]

/** Each definition is offered to every agent that may start others. */
export const definitionFilesMax = 64
/** A prompt of 64 KB is a fifth of a usual context window. */
export const definitionBytesMax = 64 * 1024

interface AgentDefinitions {
  /** By name; those of the repository take the place of built-in ones. */
  byName: ReadonlyMap<string, AgentDefinition>
  /** Definitions that can't be used: the path and the reason, one sentence each. */
  problems: string[]
  /**
   * Problems by the name of the file, without `.md`. The built-in agent of that name is not offered instead, because it
   * may have more permissions.
   */
  unusable: ReadonlyMap<string, string>
}

const contentOf = (source: string, text: string): DefinitionContent =>
  source.startsWith('.claude/') ? parseClaudeDefinition(text) : parseDefinition(text)

/** Parses the text that was stored with a spec. Throws an Error with the reason. */
export const definitionFrom = (source: string, text: string): AgentDefinition => ({
  ...contentOf(source, text),
  source,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
})

/** Parsed on first use, because most commands start no agent. */
let builtIn: ReadonlyMap<string, AgentDefinition> | null = null
function builtInDefinitions(): ReadonlyMap<string, AgentDefinition> {
  builtIn ??= new Map(
    builtInTexts.map((text) => {
      const definition = definitionFrom(builtInSource, text)
      return [definition.name, definition]
    }),
  )
  return builtIn
}

export const builtInDefinition = (name: string): AgentDefinition | null =>
  builtInDefinitions().get(name) ?? null

/** Never rejects: unreadable definitions are problems. `dir` is the folder of a project or of an agent's worktree. */
export async function readDefinitions(
  dir: string,
  { inside, mask }: { inside: FilesInside; mask: Masker },
): Promise<AgentDefinitions> {
  const problems: string[] = []
  const found = new Map<string, AgentDefinition>()
  const unusable = new Map<string, string>()
  for (const folder of folders) {
    for (const name of await markdownIn(inside, dir, folder.dir, problems)) {
      const path = `${folder.dir}/${name}`
      try {
        const definition = definitionFrom(path, mask.text(await textOf(inside, dir, path)))
        const other = found.get(definition.name)
        if (other) throw new Error(`has the name of ${shown(other.source)}, which is used`)
        found.set(definition.name, definition)
      } catch (error) {
        const problem = `${shown(path)} ${(error as Error).message}.`
        problems.push(problem)
        unusable.set(name.slice(0, -'.md'.length), problem)
      }
    }
  }
  for (const name of found.keys()) unusable.delete(name)
  const others = [...builtInDefinitions()].filter(([name]) => !unusable.has(name))
  return { byName: new Map([...others, ...found]), problems, unusable }
}

async function markdownIn(
  inside: FilesInside,
  dir: string,
  folder: string,
  problems: string[],
): Promise<string[]> {
  try {
    const path = await inside.confine(dir, folder)
    const names = (await inside.entries(path))
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.md') && name.toLowerCase() !== 'readme.md')
      .sort()
    if (names.length > definitionFilesMax)
      problems.push(
        `${folder} has ${names.length} definitions: the first ${definitionFilesMax} by name are used.`,
      )
    return names.slice(0, definitionFilesMax)
  } catch (error) {
    // Most projects have no such folder.
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error)))
      problems.push(`${folder} can't be read: ${(error as Error).message}`)
    return []
  }
}

async function textOf(inside: FilesInside, dir: string, path: string): Promise<string> {
  const file = await inside.confine(dir, path)
  // Reading a pipe could block forever, and opening a device can have effects.
  if (!(await inside.lstat(file)).isFile()) throw new Error('is not a regular file')
  const bytes = await inside.withOpened(file, async (handle, stats) => {
    if (!stats.isFile()) throw new Error('is not a regular file')
    const buffer = Buffer.alloc(definitionBytesMax + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === buffer.length) break
    }
    return buffer.subarray(0, length)
  })
  if (bytes.length > definitionBytesMax)
    throw new Error(`is larger than ${definitionBytesMax / 1024} KB`)
  const text = decodeText(bytes)
  if (text === null) throw new Error('is not a text in UTF-8')
  return text.replace(/^\u{feff}/u, '')
}

/** A file name may contain hidden characters. */
const shown = (path: string): string => visibleText(path).slice(0, 200)
