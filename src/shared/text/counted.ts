/** `1 file`, `2 files`. `shown`: the formatted number. */
export const counted = (
  count: number,
  one: string,
  many = `${one}s`,
  shown = String(count),
): string => `${shown} ${count === 1 ? one : many}`
