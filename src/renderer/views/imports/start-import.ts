import type { ImportSourceFound } from '../../../shared/contract/imports.ts'
import { importToolSchema } from '../../../shared/records/exported-tasks.ts'
import { totalBytes } from '../../../shared/total-bytes.ts'
import { toast } from '../../components/primitives/index.ts'
import type { ImportChoice } from '../../store/imports/import-run.ts'
import type { Stores } from '../../store/stores.ts'
import { resultText } from './import-texts.ts'

/** Identifies a folder of a tool's sessions. `dir` is null for sessions that do not name theirs. */
export const keyOf = (tool: string, dir: string | null): string => `${tool}\n${dir ?? ''}`

/**
 * Starts an import, or retries the sessions that the last one skipped. A toast reports the result if the import dialog
 * is closed by then.
 */
export async function startImport(
  { imports, overlay }: Pick<Stores, 'imports' | 'overlay'>,
  choices: ImportChoice[] | 'retry',
): Promise<void> {
  const result = await (choices === 'retry' ? imports.retry() : imports.start(choices))
  // An open import dialog shows the result itself.
  if (result && overlay.store.getState().kind !== 'import') toast.success(resultText(result))
}

/** If no folder of a tool is excluded, the tool is imported as a whole, with folders that appear later. */
export function choicesOf(
  sources: ImportSourceFound[],
  excluded: ReadonlySet<string> = new Set(),
): ImportChoice[] {
  return sources.flatMap((source): ImportChoice[] => {
    const tool = importToolSchema.safeParse(source.tool)
    const kept = source.byProject.filter(({ dir }) => !excluded.has(keyOf(source.tool, dir)))
    if (!tool.success || kept.length === 0) return []
    const isAll = kept.length === source.byProject.length
    const expected = {
      sessions: kept.reduce((sum, { sessions }) => sum + sessions, 0),
      bytes: totalBytes(kept),
    }
    return [{ tool: tool.data, projects: isAll ? null : kept.map(({ dir }) => dir), expected }]
  })
}
