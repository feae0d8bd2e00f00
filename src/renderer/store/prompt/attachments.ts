/** Images attached to a prompt that was not sent yet, by task. Kept as long as the window. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import { imageKindOf, imageProblem } from '../../../shared/agents/image-kind.ts'
import { promptImagesBytesMax, promptImagesMax } from '../../../shared/agents/images.ts'
import { base64Of } from '../base64.ts'

interface Attachment {
  id: number
  /** The file's name; a pasted image has the system's name. */
  name: string
  mediaType: string
  bytes: number
  /** Base64. */
  data: string
}

interface AttachmentFile {
  name: string
  arrayBuffer(): Promise<ArrayBuffer>
}

export interface Attachments {
  store: StoreApi<ReadonlyMap<string, readonly Attachment[]>>
  /** Resolves with the reasons why some were refused, one sentence each. */
  add(key: string, files: readonly AttachmentFile[]): Promise<string[]>
  remove(key: string, id: number): void
  /** Call it after the images were sent. */
  clear(key: string): void
}

export function createAttachments(): Attachments {
  const store = createStore<ReadonlyMap<string, readonly Attachment[]>>(() => new Map())
  let lastId = 0
  const of = (key: string) => store.getState().get(key) ?? []
  const set = (key: string, images: readonly Attachment[]) => {
    const next = new Map(store.getState())
    if (images.length > 0) next.set(key, images)
    else next.delete(key)
    store.setState(next, true)
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
