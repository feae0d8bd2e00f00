/** Finding text in one transcript: all of its matches, as they are found. */
import { z } from 'zod'
import { searchKindSchema } from '../search.ts'

/** Longer than anything that a person types or selects to look for. */
const findTextCharsMax = 1_000
/** Places of one search that are listed. All matches are counted. */
export const findPlacesMax = 50_000
/** Matched texts of a place, for a regular expression: they are marked where the place is shown. */
export const findTextsMax = 8

export const findQuerySchema = z.object({
  text: z.string().min(1).max(findTextCharsMax),
  matchCase: z.boolean().default(false),
  wholeWord: z.boolean().default(false),
  /** `text` is a regular expression of JavaScript; `^` and `$` match at the ends of lines. */
  isPattern: z.boolean().default(false),
})

const findPlaceSchema = z.object({
  /** The entry. */
  seq: z.number().int().min(1),
  /** Which text of the entry. */
  kind: searchKindSchema,
  /** The tool, for `call` and `output`. */
  tool: z.string().nullable(),
  /** Matches in this text. */
  count: z.number().int().min(1),
  /** For a regular expression: some of the texts that it matches here, without those that are very long. */
  texts: z.array(z.string()).max(findTextsMax).optional(),
  /** With `snippets`: a line around the first match, and the matches in it in UTF-16 units. */
  snippet: z.string().optional(),
  marks: z.array(z.tuple([z.number().int().min(0), z.number().int().min(0)])).optional(),
})
export type FindPlace = z.infer<typeof findPlaceSchema>

export const findEventSchema = z.object({
  /** Further places: those from `nearSeq` to the end in file order, then those before it. */
  places: z.array(findPlaceSchema),
  /** So far: matches, places, and entries that were read. */
  matches: z.number().int().min(0),
  placeCount: z.number().int().min(0),
  searched: z.number().int().min(0),
  /** The last entry when the search began; a later search may continue after it. 0: there is none. */
  lastSeq: z.number().int().min(0),
  /** This is the last event. */
  done: z.boolean(),
})
export type FindEvent = z.infer<typeof findEventSchema>
