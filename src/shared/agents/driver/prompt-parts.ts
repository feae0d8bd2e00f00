export type PromptPart = { type: 'text'; text: string } | ({ type: 'image' } & ShownImage)

export interface ShownImage {
  mediaType: string
  /** The SHA-256 of `data`, in hex. */
  sha256: string
  data: Uint8Array
}
