/** Reads and replaces one filter, such as `kind:report`, in the text of a query. Pure. */

const filterOf = (key: string): RegExp =>
  new RegExp(`(?<=^|\\s)${key}:(?:"(?<quoted>[^"]*)"|(?<plain>[^\\s"]+))(?:\\s+|$)`, 'gu')

/** The value of the only filter with this key; null: there is none, or several. */
export function filterValue(query: string, key: string): string | null {
  const found = [...query.matchAll(filterOf(key))]
  const [only] = found
  return found.length === 1 ? (only?.groups?.quoted ?? only?.groups?.plain ?? null) : null
}

/** Returns the query with only this filter for its key. Null: without any. */
export function withFilter(query: string, key: string, value: string | null): string {
  const rest = query.replace(filterOf(key), '').trim()
  if (value === null) return rest
  const text = /^[^\s"]+$/u.test(value) ? value : `"${value.replaceAll('"', ' ')}"`
  return [rest, `${key}:${text}`].filter((one) => one !== '').join(' ')
}
