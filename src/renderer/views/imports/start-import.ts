import type { ImportSourceFound } from '../../../shared/contract/imports.ts'
import { importToolSchema } from '../../../shared/records/exported-tasks.ts'
import { totalBytes } from '../../../shared/total-bytes.ts'
import { toast } from '../../components/primitives/index.ts'
import type { ImportChoice } from '../../store/imports/import-run.ts'
import type { Stores } from '../../store/stores.ts'
import { resultText } from './import-texts.ts'

type FoundProject = ImportSourceFound['byProject'][number]

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

/** Whether sessions of the folder are not in the archive. */
export const hasNew = ({ sessions, imported }: FoundProject): boolean => sessions > imported

/**
 * The folders with new sessions, except excluded ones. If none of a tool is excluded, the tool is imported as a whole,
 * with folders that appear later.
 */
export function choicesOf(
  sources: ImportSourceFound[],
  excluded: ReadonlySet<string> = new Set(),
): ImportChoice[] {
  return sources.flatMap((source): ImportChoice[] => {
    const tool = importToolSchema.safeParse(source.tool)
    const isExcluded = ({ dir }: FoundProject) => excluded.has(keyOf(source.tool, dir))
    const chosen = source.byProject.filter((one) => hasNew(one) && !isExcluded(one))
    if (!tool.success || chosen.length === 0) return []
    const projects = source.byProject.some(isExcluded) ? chosen.map(({ dir }) => dir) : null
    const expected = { sessions: newIn(chosen), bytes: totalBytes(chosen) }
    return [{ tool: tool.data, projects, expected }]
  })
}

/** The number of sessions that are not in the archive. */
export const newIn = (projects: readonly FoundProject[]): number =>
  projects.reduce((sum, { sessions, imported }) => sum + sessions - imported, 0)
