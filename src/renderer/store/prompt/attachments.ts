/** Images attached to a prompt that was not sent yet, by task. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { imageKindOf, imageProblem } from '../../../shared/agents/image-kind.ts'
import { promptImagesBytesMax, promptImagesMax } from '../../../shared/agents/images.ts'
import { base64Of } from '../base64.ts'
import type { Attachment, ImageDrafts } from './image-drafts.ts'

interface AttachmentFile {
  name: string
  arrayBuffer(): Promise<ArrayBuffer>
}

export interface Attachments {
  store: StoreApi<ReadonlyMap<string, readonly Attachment[]>>
  /** Reads the images of earlier windows. */
  load(): Promise<void>
  /** Resolves with the reasons why some were refused, one sentence each. */
  add(key: string, files: readonly AttachmentFile[]): Promise<string[]>
  remove(key: string, id: number): void
  /** Call it after the images were sent. */
  clear(key: string): void
}

export function createAttachments(kept: ImageDrafts): Attachments {
  const store = createStore<ReadonlyMap<string, readonly Attachment[]>>(() => new Map())
  let lastId = 0
  /** Drafts that were changed in this window, which may be before the earlier ones are loaded. */
  const changed = new Set<string>()
  const of = (key: string) => store.getState().get(key) ?? []
  const set = (key: string, images: readonly Attachment[]) => {
    const next = new Map(store.getState())
    if (images.length > 0) next.set(key, images)
    else next.delete(key)
    store.setState(next, true)
    changed.add(key)
    void kept.save(key, images)
  }

  async function load(): Promise<void> {
    const loaded = await kept.load()
    const ids = [...loaded.values()].flat().map(({ id }) => id)
    lastId = Math.max(lastId, ...ids)
    const earlier = [...loaded].filter(([key]) => !changed.has(key))
    store.setState(new Map([...earlier, ...store.getState()]), true)
  }

  async function add(key: string, files: readonly AttachmentFile[]): Promise<string[]> {
    const problems: string[] = []
    for (const file of files) {
      const content = await file.arrayBuffer().catch(() => null)
      const bytes = content && new Uint8Array(content)
      const kind = bytes && imageKindOf(bytes)
      const problem = !bytes
        ? 'could not be read'
        : !kind
          ? 'is not a PNG, JPEG, GIF or WebP image'
          : (imageProblem(kind, bytes.length) ?? exceededLimit(of(key), bytes.length))
      if (problem !== null) problems.push(`${file.name} ${problem}.`)
      else if (bytes && kind) {
        lastId += 1
        const { mediaType } = kind
        const data = base64Of(bytes)
        set(key, [
          ...of(key),
          { id: lastId, name: file.name, mediaType, bytes: bytes.length, data },
        ])
      }
    }
    return problems
  }

  return {
    store,
    load,
    add,
    remove: (key, id) =>
      set(
        key,
        of(key).filter((image) => image.id !== id),
      ),
    clear: (key) => set(key, []),
  }
}

/** Returns the limit that one more image exceeds, as the end of a sentence; null if it exceeds none. */
function exceededLimit(images: readonly Attachment[], bytes: number): string | null {
  if (images.length >= promptImagesMax)
    return `was not added: a prompt can have at most ${promptImagesMax} images`
  const all = images.reduce((sum, image) => sum + image.bytes, bytes)
  if (all > promptImagesBytesMax)
    return `was not added: the images of a prompt can have at most ${promptImagesBytesMax / 1e6} MB in total`
  return null
}
