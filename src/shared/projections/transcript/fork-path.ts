/** Finds the conversation that leads into an abandoned branch (I5): the history of a task that continues from there. */
import type { Entry } from '../../records/entries.ts'

/** A branch on the path; `id` null: the conversation itself. */
interface PathSegment {
  id: string | null
  /** The entry after which the path leaves it; null: the path ends in it. */
  until: string | null
}

/**
 * Returns the entries on the path to the last of `entries`, in their order and without marks of forks; all of them, if it
 * is in no fork. `entries` are read twice, always to the same end.
 */
export async function* entriesOnPath(
  entries: () => AsyncIterable<Entry> | Iterable<Entry>,
): AsyncGenerator<Entry> {
  const path = await pathToEnd(entries())
  const open: string[] = []
  const left = new Set<string | null>()
  for await (const entry of entries()) {
    if (entry.type === 'fork-start') open.push(entry.forkId)
    else if (entry.type === 'fork-end') close(open, entry.forkId)
    else {
      const branch = open.at(-1) ?? null
      const segment = path.find(({ id }) => id === branch)
      if (!segment || left.has(branch)) continue
      yield entry
      if (entry.uuid === segment.until) left.add(branch)
    }
  }
}

async function pathToEnd(entries: AsyncIterable<Entry> | Iterable<Entry>): Promise<PathSegment[]> {
  const open: string[] = []
  /** By fork: the entry that it follows. A fork that is continued later names its own last entry. */
  const from = new Map<string, string | null>()
  for await (const entry of entries) {
    if (entry.type === 'fork-start') {
      open.push(entry.forkId)
      if (!from.has(entry.forkId)) from.set(entry.forkId, entry.parentUuid)
    } else if (entry.type === 'fork-end') close(open, entry.forkId)
  }
  return [null, ...open].map((id, index) => {
    const next = open[index]
    return { id, until: next === undefined ? null : (from.get(next) ?? null) }
  })
}

/** Forks are closed in the order of a stack; a damaged transcript may lack one of the marks. */
function close(open: string[], forkId: string): void {
  const at = open.lastIndexOf(forkId)
  if (at !== -1) open.length = at
}
