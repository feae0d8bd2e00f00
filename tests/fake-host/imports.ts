/** The answers about imports of other tools' sessions: what `options.ts` was given. */
import { type Implementer, withAnswers } from './implementer.ts'
import type { Memory } from './memory.ts'

export function importAnswers(os: Implementer, { given, find }: Memory) {
  return {
    scan: os.imports.scan.handler(({ input: { tool } }) => ({
      sources: (given.importSources ?? []).filter((one) => tool === undefined || one.tool === tool),
    })),
    run: os.imports.run.handler(({ signal }) => withAnswers(events(signal))),
    details: os.imports.details.handler(({ input }) => ({
      details: given.importDetails?.[find(input.taskId).id] ?? null,
    })),
  }

  async function* events(signal: AbortSignal | undefined) {
    yield* given.importEvents ?? []
    if (!given.importGoesOn || signal?.aborted) return
    await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
  }
}
