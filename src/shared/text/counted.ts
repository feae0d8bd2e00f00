/** `1 file`, `2 files`. `shown`: how the number reads, where that is not its digits. */
export const counted = (
  count: number,
  one: string,
  many = `${one}s`,
  shown = String(count),
): string => `${shown} ${count === 1 ? one : many}`
