/** The rows of a tree as a flat list, in the order in which they are shown. Pure. */

export interface TreeRow {
  id: string
  /** From 1. */
  level: number
  /** Pixels. Fixed, so that a long tree is laid out without measuring its rows. */
  height: number
  hasChildren: boolean
  folded: boolean
}

/**
 * The same rows, with the objects of `before` in the place of equal ones: a row that has not changed is then
 * not rendered again. Fields are compared by identity.
 */
export function withKeptRows<Row extends TreeRow>(before: readonly Row[], rows: Row[]): Row[] {
  const known = new Map(before.map((row) => [row.id, row]))
  const kept = rows.map((row) => {
    const old = known.get(row.id)
    return old && isSame(old, row) ? old : row
  })
  return kept.length === before.length && kept.every((row, index) => row === before[index])
    ? (before as Row[])
    : kept
}

function isSame(a: object, b: object): boolean {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.is(Reflect.get(a, key), Reflect.get(b, key)))
  )
}

/** Its place among its siblings, for a screen reader: most of a long tree is not in the document. */
export interface TreePlace {
  position: number
  size: number
}

export function placesOf(rows: readonly TreeRow[]): TreePlace[] {
  const places: TreePlace[] = []
  /** By level: the places of the siblings that are being counted. */
  const open: TreePlace[][] = []
  const close = (level: number) => {
    for (const siblings of open.splice(level))
      for (const place of siblings) place.size = siblings.length
  }
  for (const { level } of rows) {
    close(level)
    open[level - 1] ??= []
    const siblings = open[level - 1] ?? []
    const place = { position: siblings.length + 1, size: 0 }
    siblings.push(place)
    places.push(place)
  }
  close(0)
  return places
}

/** The row that it is under. */
export function rowAbove<Row extends TreeRow>(
  rows: readonly Row[],
  index: number,
): Row | undefined {
  const row = rows[index]
  return row && rows.slice(0, index).findLast(({ level }) => level < row.level)
}
