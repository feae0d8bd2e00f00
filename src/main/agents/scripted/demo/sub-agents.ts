/** The sub-agents of the demo, in the format of a scenario. */
export const demoSubAgents = `  tester:
    turns:
      - steps:
          - think: >-
              The sample is the best source: every line in it has to be readable. I'll write down
              the expected result of each line, without looking too closely at how the parser works.
          - say: I'll go through the sample line by line and write down the expected results.
          - call: read_file
            with: { path: samples/app.log }
          - wait: 500ms
      - steps:
          - call: write_file
            with:
              path: tests/parse-line.test.js
              content: |
                import assert from 'node:assert/strict'
                import { parseLine } from '../src/parse-line.js'

                const parse = (rest) => parseLine('2026-03-02T08:15:00Z ' + rest)

                export const tests = {
                  'reads time, level, service and message'() {
                    const { time, level, service, message } = parse('INFO web: started')
                    assert.equal(time.toISOString(), '2026-03-02T08:15:00.000Z')
                    assert.deepEqual([level, service, message], ['INFO', 'web', 'started'])
                  },
                  'takes fields out of the message'() {
                    const { message, fields } = parse('INFO web: GET /cart ms=1204')
                    assert.equal(message, 'GET /cart')
                    assert.deepEqual(fields, { ms: '1204' })
                  },
                  'keeps a colon inside the message'() {
                    assert.equal(parse('WARN gateway: upstream said: timed out').message, 'upstream said: timed out')
                  },
                  'keeps a quoted value in one piece'() {
                    assert.equal(parse('ERROR billing: declined note="try again later"').fields.note, 'try again later')
                  },
                  'keeps an equals sign inside a value'() {
                    assert.equal(parse('INFO web: moved to=/login?next=/cart').fields.to, '/login?next=/cart')
                  },
                  'leaves a query in the message alone'() {
                    const { message, fields } = parse('INFO web: GET /search?q=shoes ms=48')
                    assert.equal(message, 'GET /search?q=shoes')
                    assert.deepEqual(fields, { ms: '48' })
                  },
                  'returns null for a line of a stack trace'() {
                    assert.equal(parseLine('    at charge (billing.js:12:9)'), null)
                  },
                }
          - call: bash
            with: { command: "node test.js" }
          - wait: 1800ms
      - steps:
          - say: Five failures, as expected. An empty line deserves a test too, since every file ends with one.
          - call: edit_file
            with:
              path: tests/parse-line.test.js
              oldText: |2
                    assert.equal(parseLine('    at charge (billing.js:12:9)'), null)
                  },
              newText: |2
                    assert.equal(parseLine('    at charge (billing.js:12:9)'), null)
                  },
                  'returns null for an empty line'() {
                    assert.equal(parseLine(''), null)
                  },
          - call: bash
            with: { command: "node test.js; git add tests && git commit -qm 'Test what the line parser should read'" }
      - wait: 3s
      - report:
          title: Eight tests, six of them fail
          markdown: |
            \`tests/parse-line.test.js\` holds eight tests. Two pass; the other six fail, and each failure is a bug in the parser:

            | line has | today | expected |
            |---|---|---|
            | \`upstream said: timed out\` | \`upstream said\` | the whole message |
            | \`note="try again later"\` | \`"try\` | \`try again later\` |
            | \`to=/login?next=/cart\` | \`/login?next\` | \`/login?next=/cart\` |
            | \`GET /search?q=shoes\` | a field \`/search?q\` | stays in the message |
            | a stack trace | TypeError | \`null\` |
            | an empty line | TypeError | \`null\` |

            I didn't change \`src/parse-line.js\`.

  writer:
    turns:
      - steps:
          - think: What the parser does and what it should do are different things. I'll describe the second, with the sample as evidence.
          - say: I'll read the parser alongside the sample.
          - call: search_files
            with: { pattern: '\\w+="', glob: "*.log" }
          - call: read_file
            with: { path: src/parse-line.js }
          - wait: 1200ms
      - steps:
          - call: write_file
            with:
              path: docs/FORMAT.md
              content: |
                # The format of a log

                One entry a line:

                    TIME LEVEL SERVICE: MESSAGE KEY=VALUE KEY="VALUE WITH SPACES"

                | part | is |
                |---|---|
                | TIME | ISO 8601, in UTC |
                | LEVEL | DEBUG, INFO, WARN or ERROR |
                | SERVICE | letters, digits and hyphens |
                | MESSAGE | any text, colons included |
                | KEY=VALUE | none or more, each after a space |

                A value ends at the next space unless it is in double quotes. An equals sign inside a
                word of the message (\`/search?q=shoes\`) does not make it a field.

                A line that does not look like this belongs to the entry above it: a stack trace, say.
          - wait: 900ms
          - call: edit_file
            with:
              path: README.md
              oldText: To be written.
              newText: "One entry a line: see [docs/FORMAT.md](docs/FORMAT.md)."
      - steps:
          - say: One check that nothing in the README is out of date.
          - call: search_files
            with: { pattern: "To be written|TODO", ignoreCase: true }
          - call: bash
            with: { command: "git add -A && git commit -qm 'Describe the log format' && git show --stat --oneline HEAD" }
          - wait: 3s
      - report:
          title: The format is described
          markdown: |
            \`docs/FORMAT.md\` describes an entry part by part, and the README links to it.

            Two requirements for the parser, since the sample has both:

            - quoted values keep their spaces,
            - a line that isn't an entry belongs to the one above it.

  fixer:
    turns:
      - steps:
          - say: First, the current failures.
          - call: bash
            with: { command: "node test.js" }
          - call: task
            with:
              agent: reviewer
              title: Check which code relies on the parser
              prompt: >-
                Find everything that uses the result of parseLine, and say whether returning null, or other
                messages and fields, would break it. Add tests where there are none.
              background: true
          - think: >-
              Splitting causes all six. One pattern for the line and one for the fields define what
              an entry is; everything else isn't one.
      - steps:
          - wait: 3s
          - call: write_file
            with:
              path: src/parse-line.js
              content: |
                const linePattern = /^(\\S+) (DEBUG|INFO|WARN|ERROR) ([\\w-]+): (.*)$/
                const fieldPattern = /\\s*\\b([\\w.-]+)=(?:"([^"]*)"|(\\S+))/g

                /** Reads one line of a log (docs/FORMAT.md). Null: the line isn't an entry, but part of the one above. */
                export function parseLine(line) {
                  const match = linePattern.exec(line)
                  if (!match) return null
                  const [, time, level, service, text] = match
                  const fields = {}
                  const message = text.replace(fieldPattern, (_, key, quoted, bare) => {
                    fields[key] = quoted ?? bare
                    return ''
                  })
                  return { time: new Date(time), level, service, message: message.trim(), fields }
                }
          - call: bash
            with: { command: "node test.js" }
      - steps:
          - think: >-
              One left: the query. There is a word boundary between the question mark and the q, too. A field
              has to start after a space, or at the very beginning.
          - say: "One left: \`?q=shoes\` is still parsed as a field, because a word boundary is not enough. A field starts after a space."
          - wait: 900ms
          - call: edit_file
            with:
              path: src/parse-line.js
              oldText: '/\\s*\\b([\\w.-]+)='
              newText: '/(?:^|\\s)([\\w.-]+)='
          - call: bash
            with: { command: "node test.js && git add -A && git commit -qm 'Read lines by a pattern instead of splitting them'" }
      - steps:
          - say: All green. Now the reviewer's findings.
          - wait: 800ms
          - call: task_await
            with: { tasks: all }
          - call: task_apply_patch
            with: { task: Check which code relies on the parser }
          - call: bash
            with: { command: "node test.js && git add -A && (git diff --cached --quiet || git commit -qm 'Add tests of the summary')" }
      - report:
          title: The parser reads all eight
          markdown: |
            All eight tests pass. The parser no longer splits; two patterns define an entry:

            ~~~js
            const linePattern = /^(\\S+) (DEBUG|INFO|WARN|ERROR) ([\\w-]+): (.*)$/
            const fieldPattern = /(?:^|\\s)([\\w.-]+)=(?:"([^"]*)"|(\\S+))/g
            ~~~

            Lines that aren't entries return \`null\`. The reviewer found one caller, which handles that, and added two tests for the summary.

  reviewer:
    turns:
      - steps:
          - say: Which code calls it, and which code uses the result?
          - call: search_files
            with: { pattern: 'parseLine|\\.fields|\\.message', glob: "*.js" }
          - call: read_file
            with: { path: src/summary.js }
          - wait: 500ms
      - steps:
          - think: readLog drops the nulls, so summarise never sees one. But it compares fields.ms as numbers, and an entry without ms gives NaN. That happens to work; a test should pin it down.
          - call: write_file
            with:
              path: tests/summary.test.js
              content: |
                import assert from 'node:assert/strict'
                import { summarise } from '../src/summary.js'

                const entry = (level, fields = {}) => ({ level, fields, message: 'm' })

                export const tests = {
                  'counts entries by level'() {
                    const { levels } = summarise([entry('INFO'), entry('WARN'), entry('INFO')])
                    assert.deepEqual(levels, { INFO: 2, WARN: 1 })
                  },
                  'finds the slowest entry and skips those without a time'() {
                    const slow = entry('INFO', { ms: '1204' })
                    assert.equal(summarise([entry('WARN'), slow, entry('INFO', { ms: '48' })]).slowest, slow)
                  },
                }
          - call: bash
            with: { command: "node test.js | tail -n 4; git add tests && git commit -qm 'Test what the summary relies on'" }
          - wait: 2s
      - report:
          title: One caller, and it is safe
          markdown: |
            1. \`readLog\` is the only caller. It already skips \`null\`.
            2. \`summarise\` reads \`fields.ms\` and \`level\`; neither changes. An entry without \`ms\` compares as \`NaN\`, which is never the slowest: correct, but by luck, so \`tests/summary.test.js\` now tests it.
            3. \`bin/log-summary.js\` prints \`message\`, which only gets longer.
`
