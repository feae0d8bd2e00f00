/** Archived transcripts: `subagent-transcripts/<taskId>/` in the parent's session directory. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { TaskId } from '../../shared/records/ids.ts'
import type { TranscriptCounts } from '../../shared/records/tasks/transcript-status.ts'
import {
  exists,
  makeDirDurable,
  makeDirInside,
  moveDurable,
  namesIn,
  readJournal,
  readJournalPage,
  readJsonFile,
  refuseSymlink,
  refuseSymlinks,
  removeDurable,
  writeFileDurable,
} from '../journal/index.ts'
import { chatFile, partialFile, transcriptParts } from '../sessions/session-files.ts'
import {
  type ArtifactFields,
  type ArtifactIndex,
  artifactFields,
  openArtifactIndex,
} from './artifact-index.ts'

export const transcriptsDir = 'subagent-transcripts'
export const transcriptsIndexFile = 'subagent-transcripts.json'
/** Stored with the payload, so that the index can be rebuilt with its ancestry (A2). */
export const transcriptFile = 'transcript.json'

/** Set when retention moved the content to the trash. Keeps the earlier counts. */
const expiredSchema = z.object({
  receiptId: z.string(),
  atMs: z.number(),
  messageCount: z.number().int().min(0),
  entryCount: z.number().int().min(0),
  bytes: z.number().int().min(0),
})
export type ExpiredMark = z.infer<typeof expiredSchema>

export const transcriptFileSchema = z.object({
  version: z.literal(1),
  ...artifactFields,
  expired: expiredSchema.optional(),
})

export const transcriptEntrySchema = z.object({
  ...artifactFields,
  status: z.enum(['complete', 'partial-only', 'missing', 'damaged', 'expired']),
  /** Set with the status `expired`, with the id of the receipt. */
  expiredAtMs: z.number().optional(),
  receiptId: z.string().optional(),
  /** Relative to the index. */
  chatPath: z.string().optional(),
  partialPath: z.string().optional(),
  /** Messages, prompts included. */
  messageCount: z.number().int().min(0),
  /** Records of any type. */
  entryCount: z.number().int().min(0),
  bytes: z.number().int().min(0),
})
export type TranscriptEntry = z.infer<typeof transcriptEntrySchema>

export const transcriptIndex = (sessionDir: string): ArtifactIndex<TranscriptEntry> =>
  openArtifactIndex({
    path: join(sessionDir, transcriptsIndexFile),
    payloadDir: join(sessionDir, transcriptsDir),
    entrySchema: transcriptEntrySchema,
    rebuild: (taskId, payload) => entryFromPayload(taskId, payload),
    // The earlier count was taken from the complete transcript, so a loss must stay visible.
    unite: (known) => known,
  })

export const archivedTranscriptDir = (sessionDir: string, taskId: TaskId): string =>
  join(sessionDir, transcriptsDir, taskId)

/**
 * Moves the transcript of `taskId` from its session directory into its parent's, by rename (R2).
 * Counts the entries only if `counted` is absent, or its bytes differ from the file's. Idempotent: a second call
 * completes one that a crash interrupted. A task without a `chat.jsonl` gets an entry with its true
 * status (A8).
 */
export async function archiveTranscript(
  from: string,
  to: string,
  about: AboutTranscript & { counted?: TranscriptCounts | undefined },
): Promise<void> {
  const target = archivedTranscriptDir(to, about.taskId)
  await makeDirInside(to, target)
  await refuseSymlink(from)
  await transcriptIndex(to).make()
  await writeFileDurable(join(target, transcriptFile), transcriptFileText(fieldsOf(about)))
  // A part that exists in neither place needs no move.
  const names = [...(await namesIn(from)), ...(await namesIn(target))]
  for (const part of transcriptParts)
    if (names.some((name) => name.startsWith(part)))
      await moveDurable(join(from, part), join(target, part))
  const entry = await entryFromPayload(about.taskId, target, about.counted)
  await transcriptIndex(to).update(about.taskId, () => entry)
}

export interface AboutTranscript {
  taskId: TaskId
  /** Parent first. */
  ancestorIds: TaskId[]
  title: string
  nowMs: number
}

export const fieldsOf = ({
  taskId,
  ancestorIds,
  title,
  nowMs,
}: AboutTranscript): ArtifactFields => ({
  childTaskId: taskId,
  parentWorkspaceId: ancestorIds[0] ?? null,
  ancestorWorkspaceIds: ancestorIds,
  title,
  createdAtMs: nowMs,
  updatedAtMs: nowMs,
})

export const transcriptFileText = (fields: ArtifactFields): string =>
  `${JSON.stringify({ version: 1, ...fields }, null, 2)}\n`

/**
 * Moves the transcript of `taskId` from the artifacts in `from` back into its session directory.
 * Idempotent: a second call completes one that a crash interrupted. Any other file in its folder
 * stays there.
 */
export async function returnTranscript(from: string, to: string, taskId: TaskId): Promise<void> {
  const source = archivedTranscriptDir(from, taskId)
  await refuseSymlinks(from, source)
  await makeDirDurable(to)
  for (const part of transcriptParts) await moveDurable(join(source, part), join(to, part))
  await transcriptIndex(from).update(taskId, () => null)
  if (await exists(join(source, transcriptFile))) await removeDurable(join(source, transcriptFile))
  if ((await exists(source)) && (await readdir(source)).length === 0) await removeDurable(source)
}

export async function entryFromPayload(
  taskId: TaskId,
  payload: string,
  known?: TranscriptCounts,
): Promise<TranscriptEntry | null> {
  const described = await readJsonFile(join(payload, transcriptFile), transcriptFileSchema)
  if (described.kind !== 'ok') return null
  const { version: _, expired, ...fields } = described.value
  if (expired) {
    const { receiptId, atMs: expiredAtMs, ...counts } = expired
    return { ...fields, status: 'expired', receiptId, expiredAtMs, ...counts }
  }
  const hasPartial = await exists(join(payload, partialFile))
  const chat = join(payload, chatFile)
  if (!(await exists(chat))) return transcriptEntry(fields, { hasPartial, counted: null })
  const { size: bytes } = await stat(chat)
  const counted = known?.bytes === bytes ? { ...known, damaged: false } : await countEntries(chat)
  // A journal that lost whole lines at its end is still valid.
  const isShorter = known !== undefined && counted.entries < known.entries
  const isDamaged = counted.damaged || isShorter
  return transcriptEntry(fields, { hasPartial, counted: { ...counted, bytes }, isDamaged })
}

/** `counted`: null without a `chat.jsonl`. */
export function transcriptEntry(
  fields: ArtifactFields,
  {
    hasPartial,
    counted,
    isDamaged = false,
  }: { hasPartial: boolean; counted: TranscriptCounts | null; isDamaged?: boolean },
): TranscriptEntry {
  const folder = `${transcriptsDir}/${fields.childTaskId}`
  const partialPath = hasPartial ? `${folder}/${partialFile}` : undefined
  if (counted === null) {
    const status = hasPartial ? 'partial-only' : 'missing'
    return { ...fields, status, partialPath, messageCount: 0, entryCount: 0, bytes: 0 }
  }
  return {
    ...fields,
    status: isDamaged ? 'damaged' : 'complete',
    chatPath: `${folder}/${chatFile}`,
    partialPath,
    messageCount: counted.messages,
    entryCount: counted.entries,
    bytes: counted.bytes,
  }
}

async function countEntries(
  chat: string,
): Promise<{ messages: number; entries: number; damaged: boolean }> {
  let messages = 0
  let entries = 0
  for await (const record of readJournal(chat)) {
    entries++
    if (record.type === 'message') messages++
  }
  const { damage } = await readJournalPage(chat, { last: 0 })
  return { messages, entries, damaged: damage.length > 0 }
}
