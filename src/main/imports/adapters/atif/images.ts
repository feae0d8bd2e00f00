/** Reads the images that a document references, only from its folder and below (I1). */
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { imageKindOf } from '../../../../shared/agents/image-kind.ts'
import { readDataFile } from '../../../journal/index.ts'
import type { BuiltImage } from '../../transcript/transcript-builder.ts'

/** Larger images are not imported. */
const imageBytesMax = 32 << 20

/** Null: no readable image inside the document's folder has that path. */
export async function readImageBeside(document: string, path: string): Promise<BuiltImage | null> {
  try {
    const folder = await realpath(dirname(document))
    const file = await realpath(resolve(folder, path))
    if (!file.startsWith(folder + sep)) return null
    const found = await stat(file)
    if (!found.isFile() || found.size > imageBytesMax) return null
    const data = await readDataFile(file)
    const kind = imageKindOf(data)
    return kind && { mediaType: kind.mediaType, data }
  } catch {
    return null
  }
}
