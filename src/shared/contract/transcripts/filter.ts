/** The entries of a whole transcript that a filter selects. */
import { z } from 'zod'
import { filterKinds } from '../../projections/transcript/filter-units.ts'

/** Limit for the listed entries of a filtered transcript. All matches are counted. */
export const filteredEntriesMax = 20_000
/** Limit for the offered tools and files: the most used ones. */
export const filterChoicesMax = 200
/** Limit for the listed changes of the working directory. */
export const filterDirsMax = 1_000
/** Limit for the entries of one read. */
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
  /** The first `filteredEntriesMax` matching entries, in order. */
  seqs: z.array(z.number().int().min(1)),
  /** The number of matching messages, calls and failures. */
  matches: count,
  /** Counts for the whole transcript, whatever the filter. */
  counts: z.object({
    kinds: z.record(z.enum(filterKinds), count),
    tools: choicesSchema,
    files: choicesSchema,
  }),
  /**
   * The working directories in order, each with the first entry of the turn in which it was first used: a call without
   * its message does not tell where it ran.
   */
  dirs: z.array(z.object({ seq: z.number().int().min(1), cwd: z.string() })).max(filterDirsMax),
  /** The seq of the last entry at the time; 0: none. */
  lastSeq: count,
})
export type FilterAnswer = z.infer<typeof filterAnswerSchema>
