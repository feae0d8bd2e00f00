/** Shiplog's own format as JSON Lines, and as one JSON document. See ../FORMAT.md. */
import { createHash } from 'node:crypto'
import type { ExportRun } from '../export-run.ts'
import { shiplogParts } from './shiplog-parts.ts'

export async function* jsonLines(run: ExportRun): AsyncGenerator<string> {
  const hash = createHash('sha256')
  let tasks = 0
  for await (const { kind, json } of shiplogParts(run)) {
    const line = `${json}\n`
    hash.update(line)
    if (kind === 'task') tasks++
    yield line
  }
  yield `${JSON.stringify({ shiplog: 'end', tasks, sha256: hash.digest('hex') })}\n`
}

/** The same lines as elements of nested arrays, with each record on a separate line. */
export async function* jsonDocument(run: ExportRun): AsyncGenerator<string> {
  let tasks = 0
  let isFirst = true
  for await (const { kind, json } of shiplogParts(run)) {
    if (kind === 'header') yield `${json.slice(0, -1)},"tasks":[`
    if (kind === 'task') {
      yield `${tasks++ === 0 ? '' : ','}\n{"about":${json},"content":[`
      isFirst = true
    }
    if (kind === 'content') yield `${isFirst ? '' : ','}\n${json}`
    if (kind === 'content') isFirst = false
    if (kind === 'task-end') yield `\n],"end":${json}}`
  }
  yield `\n],"end":{"shiplog":"end","tasks":${tasks}}}\n`
}
