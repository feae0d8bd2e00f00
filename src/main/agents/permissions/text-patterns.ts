/** Matches the patterns of rules about commands and tools. As regular expressions, several stars take longer than anyone waits. */

/** Reports whether a pattern in which `*` is any text is about the whole text. */
export function textMatches(pattern: string, text: string): boolean {
  const [start = '', ...others] = pattern.split('*')
  const end = others.pop()
  if (end === undefined) return text === pattern
  if (text.length < start.length + end.length) return false
  if (!text.startsWith(start) || !text.endsWith(end)) return false
  let at = start.length
  return others.every((one) => {
    const found = text.slice(0, text.length - end.length).indexOf(one, at)
    at = found + one.length
    return found >= 0
  })
}
