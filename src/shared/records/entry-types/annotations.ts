/** Entries beside the conversation: titles, summaries, pull requests, branches, and what this version can't interpret. */

import { z } from 'zod'
import { entryIdSchema } from '../ids.ts'
import { entryBase } from './base.ts'

export const prLinkEntrySchema = entryBase.extend({
  type: z.literal('pr-link'),
  url: z.url(),
  /** `command`: the command line, which a user's terminal or an agent's shell may have run. */
  source: z.enum(['tool-output', 'person', 'command']),
})

export const summaryEntrySchema = entryBase.extend({ type: z.literal('summary'), text: z.string() })

/** An item from an agent or another tool's log that this version can't interpret, unchanged (G8, I2). */
export const foreignEntrySchema = entryBase.extend({
  type: z.literal('foreign'),
  /** A kind of agent, or the tool whose log was imported. */
  source: z.string(),
  content: z.json(),
})

/** The start of a branch of the conversation that was not continued. It ends with its `fork-end` (I5). */
export const forkStartEntrySchema = entryBase.extend({
  type: z.literal('fork-start'),
  forkId: entryIdSchema,
})

export const forkEndEntrySchema = entryBase.extend({
  type: z.literal('fork-end'),
  forkId: entryIdSchema,
})

export const titleEntrySchema = entryBase.extend({ type: z.literal('title'), title: z.string() })

/** A record that this version can't parse, kept verbatim (J5). */
export const unknownEntrySchema = entryBase.extend({
  type: z.literal('unknown'),
  originalType: z.string(),
  reason: z.string(),
  record: z.record(z.string(), z.json()),
})
export type UnknownEntry = z.infer<typeof unknownEntrySchema>
