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
