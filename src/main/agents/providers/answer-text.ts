/** The longest list known (OpenRouter's) has 1 MB. */
const bytesMax = 8 * 1024 * 1024

/** Resolves with the body as text. Rejects with an Error if it is longer than any list of models. */
export async function answerText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > bytesMax) throw new Error('its answer is too long for a list')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
