/** The number of arguments of one call is limited. */
const pieceBytes = 0x8000

export function base64Of(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += pieceBytes)
    binary += String.fromCharCode(...bytes.subarray(from, from + pieceBytes))
  return btoa(binary)
}
