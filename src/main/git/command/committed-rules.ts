/**
 * Rules in the files of a commit that Git may need years to match (`endless-rules.ts`): where Git writes the files of a
 * commit, it reads them from there, and where one is missing in the folder, from the index, which resembles HEAD.
 */
import { endlessRuleAmong } from './endless-rules.ts'
import { fields, type GitResult, type GitRunOptions } from './run-git.ts'

/** Hardly any call takes longer; and when a rule with few stars becomes suspect. */
const looksMs = [1_000, 61_000]
/** A hostile commit may have any number; its first ones are enough to end most calls. */
const filesMax = 100
const fileBytesMax = 200 * 1024 * 1024

/** Runs Git in the place of the watched call. */
type Ask = (
  args: readonly string[],
  options: Pick<GitRunOptions, 'input' | 'stdoutBytesMax'>,
) => Promise<GitResult>

/** Calls `onEndless` with the reason if such a rule is in `commit`, until the returned function is called. */
export function watchCommittedRules(
  ask: Ask,
  commit: string,
  onEndless: (why: string) => void,
): () => void {
  let isOver = false
  const look = async (afterMs: number) => {
    // A commit that can't be read has no rules.
    const why = await endlessRuleOf(ask, commit, afterMs).catch(() => null)
    if (why !== null && !isOver) onEndless(why)
  }
  const timers = looksMs.map((ms) => setTimeout(() => void look(ms), ms).unref())
  return () => {
    isOver = true
    for (const timer of timers) clearTimeout(timer)
  }
}

async function endlessRuleOf(ask: Ask, commit: string, afterMs: number): Promise<string | null> {
  const listed = await ask(['ls-tree', '-r', '-z', '--full-tree', commit], {})
  let depth = 0
  const files: { id: string; name: string }[] = []
  for (const entry of fields(listed.stdout)) {
    const [, id = '', name = ''] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? []
    depth = Math.max(depth, name.split('/').length)
    if (/(?:^|\/)\.git(?:attributes|ignore)$/i.test(name)) files.push({ id, name })
  }
  for (const { id, name } of files.slice(0, filesMax)) {
    const { stdout } = await ask(['cat-file', 'blob', id], { stdoutBytesMax: fileBytesMax })
    const lines = stdout.toString('latin1').split('\n')
    const why = await endlessRuleAmong(lines, `${name} in the commit ${commit}`, { depth, afterMs })
    if (why !== null) return why
  }
  return null
}
