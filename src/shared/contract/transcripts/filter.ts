/** The entries of a whole transcript that a filter selects. */
import { z } from 'zod'
import { filterKinds } from '../../projections/transcript/filter-units.ts'

/** Entries of a filtered transcript that are listed. All matches are counted. */
export const filteredEntriesMax = 20_000
/** Tools and files by which it can be filtered further: the most used ones. */
export const filterChoicesMax = 200
/** Entries that are read at once. */
export const filteredPageMax = 200

const filterText = z.string().min(1).max(4_096).nullable()
export const transcriptFilterSchema = z.object({
  kind: z.enum(filterKinds).nullable(),
  tool: filterText,
  file: filterText,
})

const count = z.number().int().min(0)
const choicesSchema = z.array(z.object({ name: z.string(), count })).max(filterChoicesMax)

export const filterAnswerSchema = z.object({
  /** The entries that match, in order; the first `filteredEntriesMax`. */
  seqs: z.array(z.number().int().min(1)),
  /** Messages, calls and failures that match. */
  matches: count,
  /** Counts for the whole transcript, whatever the filter. */
  counts: z.object({
    kinds: z.record(z.enum(filterKinds), count),
    tools: choicesSchema,
    files: choicesSchema,
  }),
  /** The last entry when it was read; 0: there is none. */
  lastSeq: count,
})
export type FilterAnswer = z.infer<typeof filterAnswerSchema>
