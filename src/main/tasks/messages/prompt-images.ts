/**
 * Checks the images of prompts, and stores them in the session's `blobs/` before the ledger refers
 * to them.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ImageRef } from '../../../shared/agents/agent-records.ts'
import { imageKindOf, imageProblem } from '../../../shared/agents/image-kind.ts'
import { type PromptImage, promptImagesBytesMax } from '../../../shared/agents/images.ts'
import { invalid } from '../../../shared/failure.ts'
import { blobDirectory, storeBlob } from '../../journal/index.ts'
import { chatFile } from '../../sessions/session-files.ts'

export interface CheckedImage {
  ref: ImageRef
  data: Uint8Array
}

/** Throws FailureError (invalid) for an image that models do not accept. Stores nothing. */
export function checkImages(images: readonly PromptImage[]): CheckedImage[] {
  const checked = images.map(({ data: base64 }, index) => {
    const data = Buffer.from(base64, 'base64')
    const kind = imageKindOf(data)
    const name = images.length > 1 ? `Image ${index + 1}` : 'The image'
    if (!kind) return invalid('images', `${name} is not a PNG, JPEG, GIF or WebP file.`)
    const problem = imageProblem(kind, data.length)
    if (problem !== null) return invalid('images', `${name} ${problem}.`)
    const sha256 = createHash('sha256').update(data).digest('hex')
    return { ref: { mediaType: kind.mediaType, sha256, bytes: data.length }, data }
  })
  const bytes = checked.reduce((sum, { data }) => sum + data.length, 0)
  if (bytes > promptImagesBytesMax)
    invalid(
      'images',
      `The images total ${Math.ceil(bytes / 1e6)} MB, and a prompt can hold ${promptImagesBytesMax / 1e6} MB. Send some with a follow-up.`,
    )
  return checked
}

/** Durable when it resolves. */
export async function keepImages(
  sessionDir: string,
  images: readonly CheckedImage[],
): Promise<ImageRef[]> {
  for (const { ref, data } of images)
    await storeBlob(blobsOf(sessionDir), { sha256: ref.sha256, data: Buffer.from(data) })
  return images.map(({ ref }) => ref)
}

const blobsOf = (sessionDir: string): string => blobDirectory(join(sessionDir, chatFile))
