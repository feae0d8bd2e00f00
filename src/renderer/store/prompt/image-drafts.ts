/**
 * Images of unsent prompts, kept in the browser's database after the window closes: the storage of the texts holds a few
 * megabytes only.
 */
import { z } from 'zod'

const attachmentSchema = z.object({
  id: z.number(),
  /** The file's name; a pasted image has the system's name. */
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number(),
  /** Base64. */
  data: z.string(),
})
export type Attachment = z.infer<typeof attachmentSchema>

export interface ImageDrafts {
  /** Resolves with none if the database can't be read. */
  load(): Promise<ReadonlyMap<string, readonly Attachment[]>>
  /** Never rejects: if the database can't be written, the images are kept until the window closes. */
  save(key: string, images: readonly Attachment[]): Promise<void>
}

const databaseName = 'shiplog.image-drafts'
const tableName = 'drafts'
/** Beyond this, the drafts that were changed least recently are dropped. */
const draftsMax = 20

const draftSchema = z.object({
  key: z.string(),
  changedAtMs: z.number(),
  images: z.array(attachmentSchema),
})
type Draft = z.infer<typeof draftSchema>

export function createImageDrafts(factory: IDBFactory): ImageDrafts {
  let database: Promise<IDBDatabase> | null = null

  function open(): Promise<IDBDatabase> {
    database ??= new Promise((resolve, reject) => {
      const request = factory.open(databaseName, 1)
      request.onupgradeneeded = () => {
        request.result.createObjectStore(tableName, { keyPath: 'key' })
      }
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    return database
  }

  async function table(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    return (await open()).transaction(tableName, mode).objectStore(tableName)
  }

  async function read(): Promise<Draft[]> {
    const found = await resultOf((await table('readonly')).getAll())
    return z
      .array(draftSchema)
      .parse(found)
      .toSorted((a, b) => b.changedAtMs - a.changedAtMs)
  }

  return {
    async load() {
      try {
        const drafts = await read()
        for (const { key } of drafts.slice(draftsMax))
          await resultOf((await table('readwrite')).delete(key))
        return new Map(drafts.slice(0, draftsMax).map(({ key, images }) => [key, images]))
      } catch {
        return new Map()
      }
    },
    async save(key, images) {
      try {
        const drafts = await table('readwrite')
        const draft: Draft = { key, changedAtMs: Date.now(), images: [...images] }
        if (images.length > 0) await resultOf(drafts.put(draft))
        else await resultOf(drafts.delete(key))
      } catch {}
    },
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
