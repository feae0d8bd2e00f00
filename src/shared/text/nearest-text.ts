/** Finds the text that was probably meant. Pure. */

/** Longer texts are no typing errors of a name. */
const charsMax = 100

/** Returns the known text with the fewest typing errors, ignoring case; null if none is near. */
export function nearestText(text: string, known: Iterable<string>): string | null {
  const wanted = text.toLowerCase()
  if (wanted.length > charsMax) return null
  // A third of the letters: `bsh` is near to `bash`, `ls` is not near to `js`.
  let errorsMax = Math.floor(wanted.length / 3)
  let nearest: string | null = null
  for (const one of known) {
    const errors = typingErrors(wanted, one.toLowerCase().slice(0, charsMax), errorsMax)
    if (errors > errorsMax) continue
    nearest = one
    errorsMax = errors - 1
  }
  return nearest
}

/** Letters that are missing, added, replaced or swapped with their neighbour. Beyond `max`: more than `max`. */
function typingErrors(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (beforeLast[j - 2] ?? 0) + 1
          : replaced
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
