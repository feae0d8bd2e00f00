/**
 * Rules in the files of a commit that Git may need years to match (`endless-rules.ts`): where Git writes the files of a
 * commit, it reads them from there, and where one is missing in the folder, from the index, which resembles HEAD.
 */
import { readTexts } from '../repository/texts.ts'
import { endlessRuleAmong } from './endless-rules.ts'
import { fields, type RunGit } from './run-git.ts'

/** Hardly any call takes longer; and when a rule with few stars becomes suspect. */
const looksMs = [1_000, 61_000]
/** Files that are read with one call. */
const filesAtOnce = 1_000
/** Nearly all files of rules are smaller; a larger one is read alone. */
const usualBytesMax = 1024 * 1024
/** Git itself reads no larger attributes. */
const fileBytesMax = 100 * 1024 * 1024

/** Runs Git in the place of the watched call. */
type Ask = (...call: Parameters<RunGit>) => ReturnType<RunGit>

interface Place {
  dir: string
  commit: string
}

/** Calls `onEndless` with the reason if such a rule is in the commit, until the returned function is called. */
export function watchCommittedRules(
  ask: Ask,
  place: Place,
  onEndless: (why: string) => void,
): () => void {
  let isOver = false
  const look = async (afterMs: number) => {
    const call = { afterMs, isOver: () => isOver }
    // A commit that can't be read has no rules.
    const why = await endlessRuleOf(ask, place, call).catch(() => null)
    if (why !== null && !isOver) onEndless(why)
  }
  const timers = looksMs.map((ms) => setTimeout(() => void look(ms), ms).unref())
  return () => {
    isOver = true
    for (const timer of timers) clearTimeout(timer)
  }
}

async function endlessRuleOf(
  ask: Ask,
  { dir, commit }: Place,
  call: { afterMs: number; isOver: () => boolean },
): Promise<string | null> {
  const list = ['ls-tree', '-r', '-z', '--full-tree', commit]
  const listed = await ask(list, { cwd: dir, cut: true })
  let depth = 0
  // By id: a commit may hold the same file in a million folders.
  const names = new Map<string, string>()
  for (const entry of fields(listed.stdout)) {
    const [, id = '', name = ''] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? []
    depth = Math.max(depth, name.split('/').length)
    if (/(?:^|\/)\.git(?:attributes|ignore)$/i.test(name) && !names.has(id)) names.set(id, name)
  }
  const check = (text: Buffer, id: string) =>
    endlessRuleAmong(text, { depth, ...call, name: `${names.get(id)} in the commit ${commit}` })
  const ids = [...names.keys()]
  const large: string[] = []
  for (let at = 0; at < ids.length && !call.isOver(); at += filesAtOnce) {
    const some = ids.slice(at, at + filesAtOnce)
    const texts = await readTexts(ask, { dir, names: some, bytesMax: usualBytesMax })
    large.push(...some.filter((id) => !texts.has(id)))
    for (const [id, text] of texts) {
      const why = await check(text, id)
      if (why !== null) return why
    }
  }
  for (const id of large) {
    if (call.isOver()) return null
    const options = { cwd: dir, stdoutBytesMax: fileBytesMax }
    const read = await ask(['cat-file', 'blob', id], options).catch(() => null)
    const why = read && (await check(read.stdout, id))
    if (why !== null) return why
  }
  return null
}
