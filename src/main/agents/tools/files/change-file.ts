import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { ToolContext } from '../../../../shared/agents/driver/tool-context.ts'
import type { ToolResult } from '../../../../shared/agents/driver/tool-result.ts'
import { isGitName } from '../../../../shared/git/git-names.ts'
import type { ConfinedPath, FilesInside } from '../inside/index.ts'
import { temporaryNameOf } from '../inside/temporary-file.ts'
import { ToolError } from '../tool.ts'
import { fileError } from './file-error.ts'
import { decodeText, fileBytesMax, splitLines } from './text-file.ts'

/** Nobody reads a longer diff, and it would enlarge every copy of the record. */
const patchCharsMax = 64 * 1024
/** Two very different large files could keep the algorithm busy for minutes. */
const diffTimeMsMax = 500

interface FileChange {
  path: ConfinedPath
  /** The present content; null if the file does not exist. */
  before: Uint8Array | null
  after: string
}

/**
 * Replaces a file atomically, keeping its mode. Its old content is recorded before, and the change
 * after. Equal content changes nothing.
 */
export async function changeFile(
  inside: FilesInside,
  { path, before, after }: FileChange,
  { files, taskId, callId, signal }: ToolContext,
): Promise<ToolResult> {
  const bytes = Buffer.from(after)
  if (bytes.length > fileBytesMax)
    throw new ToolError(
      `The new content is too large (${bytes.length} bytes, at most ${fileBytesMax}).`,
    )
  if (path.relative.split('/').some(isGitName))
    throw new ToolError(`path: ${path.relative} belongs to Git. Use git in bash instead.`)
  if (before && bytes.equals(before)) return unchanged(path)
  const replacement = { bytes, temporaryName: temporaryNameOf({ taskId, callId }), signal }
  signal.throwIfAborted()
  await files.keepOriginal(before)
  await write(inside, path, replacement)
  await files.record({ callId, path: path.relative, before, after: bytes })
  return changed(path, before, after)
}

async function write(
  inside: FilesInside,
  path: ConfinedPath,
  replacement: Parameters<FilesInside['replace']>[1],
): Promise<void> {
  try {
    await inside.replace(path, replacement)
  } catch (error) {
    if (error instanceof ToolError) throw error
    throw fileError(path.relative, error)
  }
}

const unchanged = (path: ConfinedPath): ToolResult => ({
  outcome: 'ok',
  output: `${path.relative} has this content already.`,
  detail: {
    kind: 'edit',
    path: path.relative,
    change: 'unchanged',
    additions: 0,
    deletions: 0,
    patch: null,
  },
})

function changed(path: ConfinedPath, before: Uint8Array | null, after: string): ToolResult {
  const change = before ? 'changed' : 'created'
  const { additions, deletions, patch } = compare(path.relative, before, after)
  return {
    outcome: 'ok',
    output: `${before ? 'Changed' : 'Created'} ${path.relative} (+${additions} -${deletions} lines).`,
    detail: { kind: 'edit', path: path.relative, change, additions, deletions, patch },
  }
}

function compare(path: string, before: Uint8Array | null, after: string) {
  const old = before ? decodeText(before) : ''
  const patch =
    old === null
      ? undefined
      : createTwoFilesPatch(
          before ? `a/${path}` : '/dev/null',
          `b/${path}`,
          old,
          after,
          undefined,
          undefined,
          {
            context: 3,
            timeout: diffTimeMsMax,
            headerOptions: FILE_HEADERS_ONLY,
          },
        )
  // Without a diff, all old lines count as removed and all new ones as added.
  if (patch === undefined)
    return {
      additions: splitLines(after).length,
      deletions: old === null ? 0 : splitLines(old).length,
      patch: null,
    }
  const lines = patch.split('\n').slice(2)
  return {
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    patch: patch.length <= patchCharsMax ? patch : null,
  }
}
