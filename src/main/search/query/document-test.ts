/** Tests whether a document matches a query, without an index. Pure. */
import type { SearchDocument } from '../documents.ts'
import { wordsOf } from '../index/words.ts'
import type { Query } from './query.ts'

/** `at` is the time of its entry, in milliseconds since the epoch. */
export function createDocumentTest(
  query: Query,
): (document: SearchDocument, at: number) => boolean {
  const { tools, files, models, kinds, flags, after, before } = query
  const pattern = query.pattern === null ? null : new RegExp(query.pattern, 'imu')
  const terms = query.terms.map((term) => term.map(({ text }) => text.toLowerCase()))
  const excluded = query.excluded.map(({ text }) => asWords(text))
  return ({ kind, text, paths, tool, model, isError }, at) => {
    if (kinds.length > 0 && !kinds.includes(kind)) return false
    if (flags.includes('error') && !isError) return false
    if ((after !== null && at < after) || (before !== null && at >= before)) return false
    if (!isNamed(tool, tools) || !isNamed(model, models)) return false
    if (files.length > 0 && !files.some((file) => paths.includes(file))) return false
    if (pattern) return pattern.test(text) || pattern.test(paths)
    const all = `${text}\n${paths}`
    const lower = all.toLowerCase()
    if (!terms.every((term) => term.some((text) => lower.includes(text)))) return false
    if (excluded.length === 0) return true
    const words = asWords(all)
    return !excluded.some((term) => words.includes(term))
  }
}

/** The words of a text, each between spaces, so that a substring test matches whole words only. */
const asWords = (text: string): string => ` ${wordsOf(text).join(' ')} `

const isNamed = (value: string | null, wanted: readonly string[]): boolean =>
  wanted.length === 0 ||
  wanted.some((one) => value?.toLowerCase().includes(one.toLowerCase()) === true)
