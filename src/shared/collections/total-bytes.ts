/** Returns the sum of the items' sizes, in bytes. */
export const totalBytes = (items: readonly { bytes: number }[]): number =>
  items.reduce((sum, { bytes }) => sum + bytes, 0)
