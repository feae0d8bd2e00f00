/** The files of the demo's project: a small reader of log files, with the kind of bugs such readers have. */
export const demoFiles: Record<string, string> = {
  'README.md': `# log-reader

Reads our services' logs and summarises them.

    node bin/log-summary.js samples/app.log

## Format

To be written.

## Tests

    node test.js
`,

  'package.json': `{
  "name": "log-reader",
  "version": "0.3.0",
  "private": true,
  "type": "module",
  "bin": { "log-summary": "bin/log-summary.js" },
  "scripts": { "test": "node test.js" }
}
`,

  'bin/log-summary.js': `#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { readLog } from '../src/read-log.js'
import { summarise } from '../src/summary.js'

const [path] = process.argv.slice(2)
if (!path) {
  console.error('usage: log-summary FILE')
  process.exit(2)
}

const { levels, slowest } = summarise(readLog(readFileSync(path, 'utf8')))
for (const [level, count] of Object.entries(levels)) console.log(level.padEnd(6), count)
if (slowest) console.log('slowest', slowest.fields.ms + ' ms:', slowest.message)
`,

  'src/parse-line.js': `/** Reads one line of a log. */
export function parseLine(line) {
  const [time, level, ...rest] = line.split(' ')
  const [service, text] = rest.join(' ').split(': ')
  const words = []
  const fields = {}
  for (const word of text.split(' ')) {
    const [key, value] = word.split('=')
    if (value === undefined) words.push(word)
    else fields[key] = value
  }
  return { time: new Date(time), level, service, message: words.join(' '), fields }
}
`,

  'src/read-log.js': `import { parseLine } from './parse-line.js'

/** Reads a whole log, oldest entry first. */
export function readLog(text) {
  return text
    .split('\\n')
    .filter((line) => line !== '')
    .map((line) => parseLine(line))
}
`,

  'src/summary.js': `/** Counts entries by level, and finds the slowest request. */
export function summarise(entries) {
  const levels = {}
  let slowest = null
  for (const entry of entries) {
    levels[entry.level] = (levels[entry.level] ?? 0) + 1
    if (Number(entry.fields.ms) > Number(slowest?.fields.ms ?? 0)) slowest = entry
  }
  return { levels, slowest }
}
`,

  'samples/app.log': `2026-03-02T08:15:00Z INFO web: GET /search?q=shoes ms=48
2026-03-02T08:15:02Z INFO web: GET /cart ms=1204
2026-03-02T08:15:02Z WARN gateway: upstream said: timed out service=payments attempt=1
2026-03-02T08:15:04Z ERROR billing: card declined user=42 note="try again later"
    at charge (billing.js:12:9)
    at checkout (cart.js:88:3)
2026-03-02T08:15:09Z INFO mail: sent to=42 subject="Your order, and what went wrong"
`,

  'test.js': `// Runs the functions that each file in tests/ exports as \`tests\`. Needs nothing but Node.
import { readdir } from 'node:fs/promises'

const folder = new URL('./tests/', import.meta.url)
const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.test.js'))
let passed = 0
let failed = 0
for (const file of files.sort()) {
  const { tests } = await import(new URL(file, folder))
  for (const [name, run] of Object.entries(tests)) {
    try {
      await run()
      passed++
      console.log('ok    ' + name)
    } catch (error) {
      failed++
      console.log('FAIL  ' + name + ': ' + error.message.split('\\n')[0])
    }
  }
}
if (files.length === 0) console.log('There are no tests yet.')
console.log(passed + ' passed, ' + failed + ' failed')
process.exit(failed > 0 || files.length === 0 ? 1 : 0)
`,
}
