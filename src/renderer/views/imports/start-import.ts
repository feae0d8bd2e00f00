import { toast } from '../../components/primitives/index.ts'
import type { ImportChoice } from '../../store/imports/import-run.ts'
import type { Stores } from '../../store/stores.ts'
import { resultText } from './import-texts.ts'

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
