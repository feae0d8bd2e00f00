import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { ExportChoice } from './use-export-preview.ts'

/** Reads an export and returns its text in the pieces that were received. */
export async function readExport(
  client: ShiplogClient,
  choice: ExportChoice,
  signal: AbortSignal,
): Promise<string[]> {
  const pieces: string[] = []
  for await (const event of await client.exports.read(choice, { signal }))
    if (event.type === 'text') pieces.push(event.text)
  return pieces
}

/** Saves the pieces as a download; the desktop app asks for a folder. */
export function saveFile(pieces: string[], fileName: string): void {
  const url = URL.createObjectURL(new Blob(pieces, { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  // A download that has begun keeps the content without its URL.
  setTimeout(() => URL.revokeObjectURL(url), revokeMs)
}

/** Long, because in the desktop app the download begins after the person has chosen a folder. */
const revokeMs = 10 * 60_000
