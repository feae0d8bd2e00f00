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

/** Long, because in the desktop app the download begins after the user has chosen a folder. */
const revokeMs = 10 * 60_000
