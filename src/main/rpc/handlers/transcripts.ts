/** The handlers of transcripts. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const transcriptHandlers = (
  { os, withContractErrors, inScope }: Calls,
  { transcripts, finder, workspaces: { records } }: RouterDependencies,
) => ({
  page: os.transcripts.page.handler(({ input }) => transcripts.page(inScope(input), input)),
  outline: os.transcripts.outline.handler(({ input }) =>
    transcripts.outline(inScope(input), input),
  ),
  timeline: os.transcripts.timeline.handler(({ input }) =>
    transcripts.timeline(inScope(input), input),
  ),
  stateAt: os.transcripts.stateAt.handler(({ input }) =>
    transcripts.stateAt(inScope(input), input.seq),
  ),
  value: os.transcripts.value.handler(({ input }) => transcripts.value(inScope(input), input)),
  find: os.transcripts.find.handler(({ input, signal }) =>
    withContractErrors('find', finder.find(inScope(input), input, signal)),
  ),
  filter: os.transcripts.filter.handler(({ input, signal }) =>
    finder.filter(inScope(input), input.filter, signal),
  ),
  entries: os.transcripts.entries.handler(({ input }) =>
    transcripts.entries(inScope(input), input.seqs),
  ),
  image: os.transcripts.image.handler(async ({ input }) => {
    const { mediaType, data } = await records.image(inScope(input), input.sha256)
    return { mediaType, data: Buffer.from(data).toString('base64') }
  }),
})
