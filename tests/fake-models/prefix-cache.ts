/** The prompt cache of a service: which prefixes of earlier requests it still has. */
import { createHash } from 'node:crypto'
import { tokensOf } from './wire.ts'

export interface PrefixCache {
  /** The tokens of the longest prefix that an earlier request had, in whole segments; remembers this request. */
  readAutomatic(scope: string, segments: string[]): number
  /**
   * Prefixes are written only where the request marks them, and read from up to 20 segments before a mark.
   * `marks` are indexes of segments, each the last one of a prefix.
   */
  readMarked(scope: string, segments: string[], marks: number[]): { read: number; written: number }
}

/** How far before a mark an earlier prefix is looked for. */
const lookbackSegmentsMax = 20

export function createPrefixCache(): PrefixCache {
  const known = new Set<string>()

  function prefixesOf(scope: string, segments: string[]) {
    const hash = createHash('sha256').update(scope)
    let tokens = 0
    return segments.map((segment) => {
      tokens += tokensOf(segment)
      hash.update(`\n${segment.length}\n${segment}`)
      return { key: hash.copy().digest('base64'), tokens }
    })
  }

  return {
    readAutomatic(scope, segments) {
      const prefixes = prefixesOf(scope, segments)
      const read = prefixes.findLast(({ key }) => known.has(key))?.tokens ?? 0
      for (const { key } of prefixes) known.add(key)
      return read
    },
    readMarked(scope, segments, marks) {
      const prefixes = prefixesOf(scope, segments)
      const readable = prefixes.filter(
        ({ key }, index) =>
          known.has(key) &&
          marks.some((mark) => index <= mark && index > mark - lookbackSegmentsMax),
      )
      const read = readable.at(-1)?.tokens ?? 0
      const last = prefixes[Math.max(-1, ...marks)]?.tokens ?? 0
      for (const mark of marks) {
        const prefix = prefixes[mark]
        if (prefix) known.add(prefix.key)
      }
      return { read, written: Math.max(0, last - read) }
    },
  }
}
