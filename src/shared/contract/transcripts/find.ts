/** A search in one transcript, with its matches as they are found. */
import { z } from 'zod'
import { searchKindSchema } from '../search.ts'

/** Longer than any text that a user types or selects for a search. */
const findTextCharsMax = 1_000
/** Limit for the listed places of one search. All matches are counted. */
export const findPlacesMax = 50_000
/** Limit for the matched texts of a place, which views highlight, for a regular expression. */
export const findTextsMax = 500

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
  /** The number of matches in this text. */
  count: z.number().int().min(1),
  /** For a regular expression: some of the matched texts, except very long ones. */
  texts: z.array(z.string()).max(findTextsMax).optional(),
  /** With `snippets`: a line around the first match, and the matches in it in UTF-16 units. */
  snippet: z.string().optional(),
  marks: z.array(z.tuple([z.number().int().min(0), z.number().int().min(0)])).optional(),
})
export type FindPlace = z.infer<typeof findPlaceSchema>

export const findEventSchema = z.object({
  /** Further places: those from `nearSeq` to the end in file order, then those before it. */
  places: z.array(findPlaceSchema),
  /** The numbers so far of matches, places, and searched entries. */
  matches: z.number().int().min(0),
  placeCount: z.number().int().min(0),
  searched: z.number().int().min(0),
  /** The seq of the last entry when the search began; a later search may continue after it. 0: none. */
  lastSeq: z.number().int().min(0),
  /** True for the last event. */
  done: z.boolean(),
})
export type FindEvent = z.infer<typeof findEventSchema>
