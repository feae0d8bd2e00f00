/**
 * Finds sessions of Claude Code: in its whole folder (`projects/<name>/<session>.jsonl`), in a folder of sessions, or
 * in one file. Reads names, sizes, times and first lines only.
 */
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { dayMs } from '../../../../shared/durations.ts'
import { isExport } from '../../../export/is-export.ts'
import type { FoundSession, SourceFile } from '../adapter.ts'
import { fileAt, firstRecords, type ListedFile, listFolder, namedPath } from '../folders.ts'
import { asRecord, isRecord, records, text } from '../values.ts'
import { isClaudeRecord } from './claude-record.ts'
import { originalId } from './copied-records.ts'

/** Claude Code's default retention, in days. */
const cleanupDaysDefault = 30
const agentFile = /^agent-(.+)\.jsonl$/
const sessionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const sessionName = /^(.+)\.jsonl$/

export async function* discoverClaudeCode(
  given: string,
  signal: AbortSignal,
): AsyncGenerator<FoundSession> {
  const named = namedPath(given)
  if (!named) return
  const { path, isFolder } = named
  if (!isFolder) {
    const file = fileAt(path)
    const found = file && (await sessionOfFile(file))
    if (found) yield found
    return
  }
  const { folders } = listFolder(join(path, 'projects'))
  const keptDays = await cleanupDaysOf(path)
  if (folders.length === 0) return yield* sessionsIn(path)
  for (const folder of folders)
    for await (const found of sessionsIn(folder.path)) {
      signal.throwIfAborted()
      yield { ...found, keptDays, expiresAtMs: lastWrittenMs(found) + keptDays * dayMs }
    }
}

/** Claude Code deletes a session by the time of its own file, however recently its sub-agents' were written to. */
function lastWrittenMs({ files }: FoundSession): number {
  const own = files.filter(({ role }) => role === 'session')
  return Math.max(...(own.length > 0 ? own : files).map(({ mtimeMs }) => mtimeMs))
}

async function* sessionsIn(folder: string): AsyncGenerator<FoundSession> {
  const { files, folders } = listFolder(folder)
  const loose = new Map<string, SourceFile[]>()
  for (const file of files) {
    const agentId = agentFile.exec(file.name)?.[1]
    if (agentId === undefined) continue
    const key = await sessionOfAgent(file)
    if (key === null) continue
    loose.set(key, [...(loose.get(key) ?? []), agentSource(file, agentId)])
  }
  const listed = await listedSessions(files)
  const named = new Set(folders.map(({ name }) => name))
  const seen = new Set<string>()
  for (const file of files) {
    const key = sessionName.exec(file.name)?.[1]
    if (key === undefined || agentFile.test(file.name)) continue
    const found = await sessionOfFile(file, { loose, hasFolder: named.has(key) })
    if (!found) continue
    seen.add(key).add(found.key)
    yield { ...found, isHidden: listed !== null && !listed.has(key) }
  }
  // Sub-agents whose session file is missing.
  const orphans = new Set([...named, ...loose.keys()])
  for (const key of orphans) {
    if (seen.has(key)) continue
    const beside = [...filesBeside(join(folder, key)), ...(loose.get(key) ?? [])]
    const [first] = beside.filter(({ role }) => role === 'sub-agent')
    if (!first) continue
    const projectDir = await projectOf(first.path)
    yield {
      tool: 'claude-code',
      key,
      files: beside,
      projectDir,
      expiresAtMs: null,
      isHidden: true,
    }
  }
}

/**
 * Null: neither the file name nor the first lines are those of a session. `loose`: the sub-agents' files beside it, by
 * session; `hasFolder`: whether a folder of its name is beside it.
 */
async function sessionOfFile(
  file: ListedFile,
  { loose, hasFolder = true }: { loose?: Map<string, SourceFile[]>; hasFolder?: boolean } = {},
): Promise<FoundSession | null> {
  const first = await firstRecords(file.path, (one) => text(one.cwd) !== null && isMessage(one))
  const key = basename(file.name, '.jsonl')
  if (file.bytes === 0 || !(sessionId.test(key) || first.some(isClaudeRecord))) return null
  // Records of a Shiplog export have the same fields, but its first one does not.
  if (!first.slice(0, 1).some(isClaudeRecord) && isOwnExport(file.path)) return null
  const agentId = agentFile.exec(file.name)?.[1]
  const source: SourceFile = { ...file, role: 'session' }
  const beside =
    agentId === undefined && hasFolder ? filesBeside(join(dirname(file.path), key)) : []
  const siblings = agentId === undefined ? (loose ?? (await siblingsOf(file))).get(key) : []
  const projectDir = first.map(({ cwd }) => text(cwd)).find(Boolean) ?? null
  return {
    tool: 'claude-code',
    key,
    projectDir,
    expiresAtMs: null,
    isHidden: false,
    files: [source, ...beside, ...(siblings ?? [])],
    ...originOf(first, key),
  }
}

function isOwnExport(path: string): boolean {
  try {
    return isExport(path)
  } catch {
    // The import of this session reports the read error, and the others are not affected.
    return false
  }
}

const isMessage = ({ type }: Record<string, unknown>): boolean =>
  type === 'user' || type === 'assistant'

function originOf(
  first: Record<string, unknown>[],
  key: string,
): Pick<FoundSession, 'opening' | 'namedEarlier'> {
  const opening = first.filter(isMessage).map(originalId).find(Boolean)
  const named = first.flatMap((one) => [
    text(asRecord(one.forkedFrom).sessionId),
    text(one.sessionId),
  ])
  const earlier = new Set(named.filter((one) => one !== null && one !== key))
  return {
    ...(opening && { opening }),
    ...(earlier.size > 0 && { namedEarlier: [...earlier] as string[] }),
  }
}

/** Sub-agent files that older versions wrote next to the session. */
async function siblingsOf(file: ListedFile): Promise<Map<string, SourceFile[]>> {
  const { files } = listFolder(dirname(file.path))
  const found = new Map<string, SourceFile[]>()
  for (const one of files) {
    const agentId = agentFile.exec(one.name)?.[1]
    const key = agentId === undefined ? null : await sessionOfAgent(one)
    if (agentId === undefined || key === null) continue
    found.set(key, [...(found.get(key) ?? []), agentSource(one, agentId)])
  }
  return found
}

/** The files in `subagents/` and `tool-results/` of a session's folder. */
function filesBeside(folder: string): SourceFile[] {
  const agents = listFolder(join(folder, 'subagents')).files
  const results = listFolder(join(folder, 'tool-results')).files
  return [
    ...agents.flatMap((file) => {
      const agentId = agentFile.exec(file.name)?.[1]
      return agentId === undefined
        ? []
        : [{ ...agentSource(file, agentId), name: `subagents/${file.name}` }]
    }),
    ...results.map(
      (file): SourceFile => ({ ...file, name: `tool-results/${file.name}`, role: 'beside' }),
    ),
  ]
}

const agentSource = (file: ListedFile, agentId: string): SourceFile => ({
  ...file,
  role: agentId.startsWith('acompact-') ? 'compaction' : 'sub-agent',
  agentId,
})

async function sessionOfAgent(file: ListedFile): Promise<string | null> {
  const first = await firstRecords(file.path, (one) => text(one.sessionId) !== null)
  return first.map(({ sessionId }) => text(sessionId)).find(Boolean) ?? null
}

async function projectOf(path: string): Promise<string | null> {
  const first = await firstRecords(path, (one) => text(one.cwd) !== null)
  return first.map(({ cwd }) => text(cwd)).find(Boolean) ?? null
}

/** The session ids in the tool's index of a folder; null: no index. */
async function listedSessions(files: ListedFile[]): Promise<Set<string> | null> {
  const index = files.find(({ name }) => name === 'sessions-index.json')
  const value = index && (await readJson(index.path))
  const entries = records(isRecord(value) ? value.entries : value)
  if (entries.length === 0) return null
  return new Set(entries.flatMap((one) => text(one.sessionId) ?? text(one.id) ?? []))
}

/** Days without activity after which Claude Code deletes a session. */
async function cleanupDaysOf(home: string): Promise<number> {
  for (const name of ['settings.local.json', 'settings.json']) {
    const { cleanupPeriodDays } = asRecord(await readJson(join(home, name)))
    if (typeof cleanupPeriodDays === 'number' && cleanupPeriodDays >= 0) return cleanupPeriodDays
  }
  return cleanupDaysDefault
}

const settingsBytesMax = 4 << 20

async function readJson(path: string): Promise<unknown> {
  try {
    const file = fileAt(path)
    return file && file.bytes <= settingsBytesMax ? JSON.parse(await readFile(path, 'utf8')) : null
  } catch {
    return null
  }
}
