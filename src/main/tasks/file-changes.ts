/**
 * Records the files that an agent's tools change: the old content goes to `file-history/` before the file
 * is touched, and two entries name the message that caused it.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { diffLines } from 'diff'
import type { FileChangeRecorder } from '../../shared/agent.ts'
import type { EntryId } from '../../shared/ids.ts'
import { exists, makeDirDurable, syncDirectory, writeFileDurable } from '../journal/index.ts'
import type { Session } from '../sessions/session.ts'
import { fileHistoryFolder } from '../sessions/session-files.ts'

/** Line by line comparison is for text that people read; beyond this a file is counted as one change. */
const comparedCharsMax = 1_000_000
/** Two very different files can keep the comparison busy for minutes, and nothing else runs meanwhile. */
const comparisonMsMax = 250

interface FileChanges {
  /** For the tools of one message. */
  recorder(messageUuid: EntryId): FileChangeRecorder
}

export function createFileChanges(session: Session): FileChanges {
  const historyDir = join(session.dir, fileHistoryFolder)
  /** Who wrote each line of a file as the agent last left it. */
  const authorship = new Map<string, { content: string; lines: Line[] }>()

  async function keep(content: Uint8Array): Promise<string> {
    const hash = sha256(content)
    const path = join(historyDir, hash)
    // One that is there may come from a process that died before its name was durable.
    if (await exists(path)) await syncDirectory(historyDir)
    else {
      await makeDirDurable(historyDir)
      await writeFileDurable(path, content)
    }
    return hash
  }

  function attribute(
    path: string,
    before: string,
    after: string,
  ): { agentChars: number; otherChars: number } {
    const known = authorship.get(path)
    const asFound = known
      ? follow(known.lines, known.content, before, 'other')
      : ownedBy('other', before)
    const lines = follow(asFound, before, after, 'agent')
    authorship.set(path, { content: after, lines })
    const count = (author: Author) =>
      lines.reduce((sum, line) => (line.author === author ? sum + line.chars : sum), 0)
    return { agentChars: count('agent'), otherChars: count('other') }
  }

  return {
    recorder: (messageUuid) => ({
      keepOriginal: async (before) => {
        if (before) await keep(before)
      },
      record: async ({ callId, path, before, after }) => {
        const text = (bytes: Uint8Array | null) =>
          bytes ? Buffer.from(bytes).toString('utf8') : ''
        const change = {
          before: before && (await keep(before)),
          after: after && sha256(after),
        }
        await session.append(
          { type: 'file-history-snapshot', messageUuid, callId, path, ...change },
          {
            type: 'attribution-snapshot',
            messageUuid,
            files: { [path]: attribute(path, text(before), text(after)) },
          },
        )
      },
    }),
  }
}

type Author = 'agent' | 'other'
interface Line {
  author: Author
  /** UTF-16 units, the line's end included. */
  chars: number
}

/** The lines of `after`: those that were in `before` keep their author, the others are by `author`. */
function follow(lines: Line[], before: string, after: string, author: Author): Line[] {
  if (before === after) return lines
  if (before.length + after.length > comparedCharsMax) return ownedBy(author, after)
  const parts = diffLines(before, after, { timeout: comparisonMsMax })
  if (!parts) return ownedBy(author, after)
  let at = 0
  return parts.flatMap((part) => {
    if (part.added) return ownedBy(author, part.value)
    const kept = lines.slice(at, at + part.count)
    at += part.count
    return part.removed ? [] : kept
  })
}

function ownedBy(author: Author, text: string): Line[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => ({ author, chars: line.length }))
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
