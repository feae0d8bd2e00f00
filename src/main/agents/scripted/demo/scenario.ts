/**
 * The scenario of the demo (SCENARIOS.md says how to read it): about twenty seconds, most of them
 * `wait`s, so that there is something to watch. A lead has tests written and the format described at the
 * same time, mends a file itself meanwhile, and then hands the found mistakes to a fixer, which has a
 * reviewer of its own.
 */
export const demoScenario = `version: 1
name: make-the-log-reader-robust
agents:
  lead:
    turns:
      - steps:
          - think: >-
              "Robust" is vague until I know what breaks. First what is here, then whether there are
              any tests, and only then who does what.
          - say: I'll look at what is here before I change anything.
          - call: list_files
          - call: read_file
            with: { path: src/parse-line.js }
          - call: bash
            with: { command: "node test.js" }
      - steps:
          - wait: 2s
          - call: bash
            with: { command: "node bin/log-summary.js samples/app.log 2>&1 | head -n 6" }
          - think: >-
              It falls over on its own sample: the stack trace has no colon where the parser wants one.
              And splitting at every colon and every equals sign can't be right either. Tests and the
              description of the format don't depend on each other, so both can start now. The parser
              itself should wait for the tests, or I'd be guessing twice.
          - say: |
              The reader fails on its own sample file, and there are no tests at all. My plan:

              1. Have the parser **covered with tests**, failing ones included, and the **format described**, both at once.
              2. Meanwhile make \`read-log.js\` cope with lines that are no entries.
              3. Then have the parser **mended** against those tests.
      - steps:
          - call: task
            with:
              agent: tester
              title: Cover the line parser with tests
              prompt: >-
                Write tests for parseLine in src/parse-line.js: what works today, and what a reader of
                samples/app.log would expect and does not get. A line that is no entry should give null.
                Leave the parser alone. Failing tests are welcome: they are what I need to know.
              background: true
              parallelGroup: ground-work
          - call: task
            with:
              agent: writer
              title: Describe the log format
              prompt: >-
                Describe the format that src/parse-line.js is meant to read in docs/FORMAT.md, with
                samples/app.log as evidence, and link it from the README in place of "To be written."
              background: true
              parallelGroup: ground-work
          - say: Both are at work. In the meantime I'll mend the part that is mine.
      - steps:
          - call: read_file
            with: { path: src/read-log.js }
          - wait: 900ms
          - call: edit_file
            with:
              path: src/read-log.js
              oldText: |
                /** Reads a whole log, oldest entry first. */
                export function readLog(text) {
                  return text
                    .split('\\n')
                    .filter((line) => line !== '')
                    .map((line) => parseLine(line))
                }
              newText: |
                /**
                 * Reads a whole log, oldest entry first. A line that is no entry of its own, of a stack trace
                 * say, belongs to the entry above it.
                 */
                export function readLog(text) {
                  const entries = []
                  for (const line of text.split(/\\r?\\n/)) {
                    const entry = parseLine(line)
                    if (entry) entries.push({ ...entry, trace: [] })
                    else if (line.trim() !== '') entries.at(-1)?.trace.push(line.trim())
                  }
                  return entries
                }
          - call: bash
            with: { command: "git add -A && git commit -qm 'Keep stack traces with the entry they belong to' && git log --oneline -1" }
          - say: "\`readLog\` now counts on \`parseLine\` to answer \`null\` for what is no entry. That is in the tester's brief already."
      - steps:
          - say: Now I need the tests before anyone touches the parser.
          - call: task_await
            with: { tasks: ["Cover the line parser with tests"] }
          - call: task_apply_patch
            with: { task: Cover the line parser with tests }
          - call: bash
            with: { command: "node test.js; git add -A; git diff --cached --quiet || git commit -qm 'Add the tests of the line parser'" }
      - steps:
          - think: >-
              Six failures, and each is something the sample has or could have. That is a precise brief for someone who
              hasn't seen any of this. The fixer's worktree starts from mine, so the tests are in it.
          - say: The tests say exactly what is wrong. That goes to the fixer, word for word.
          - wait: 1s
          - call: task
            with:
              agent: fixer
              title: Mend the line parser
              prompt: >-
                Make all tests in tests/parse-line.test.js pass by mending src/parse-line.js. Don't change
                the tests. Have someone check who else relies on how the parser behaves today.
          - call: task_apply_patch
            with: { task: Mend the line parser }
      - steps:
          - call: task_await
            with: { tasks: all, timeout: 30s }
          - call: task_apply_patch
            with: { task: Describe the log format }
          - wait: 900ms
          - call: bash
            with: { command: "node test.js" }
          - call: bash
            with: { command: "git add -A; git diff --cached --quiet || git commit -qm 'Read every line of the sample: mend the parser, describe the format'; git status --short" }
          - call: bash
            with: { command: "node bin/log-summary.js samples/app.log" }
          - wait: 700ms
      - report:
          title: The log reader reads its own sample
          markdown: |
            The reader now copes with every line of \`samples/app.log\`. All tests pass, and there were none before.

            | what | before | now |
            |---|---|---|
            | stack traces | crash | kept with their entry, as \`trace\` |
            | \`note="try again later"\` | cut at the first space | one value |
            | \`upstream said: timed out\` | cut at the colon | whole |
            | \`GET /search?q=shoes\` | query taken for a field | left in the message |
            | tests | none | the parser and the summary |

            \`node bin/log-summary.js samples/app.log\` prints:

            ~~~text
            {{last.output}}
            ~~~

            How it came about:

            - The **tester** found six mistakes before anyone changed the parser.
            - The **fixer** mended them; its reviewer checked the one caller and added tests for it.
            - The **writer** described the format in \`docs/FORMAT.md\`.

            Left open: times without a zone are read as local time. I'd settle that with whoever writes the logs.

  tester:
    turns:
      - steps:
          - think: >-
              The sample is the best source: whatever stands in there has to be readable. I'll write down
              what I'd expect of each line, without looking too hard at how the parser does it.
          - say: I'll take the sample line by line and write down what each should give.
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
                  'answers null for a line of a stack trace'() {
                    assert.equal(parseLine('    at charge (billing.js:12:9)'), null)
                  },
                }
          - call: bash
            with: { command: "node test.js" }
          - wait: 1800ms
      - steps:
          - say: Five failures, as I'd hoped for. An empty line is worth a test too, since \`readLog\` meets one at the end of every file.
          - call: edit_file
            with:
              path: tests/parse-line.test.js
              oldText: |2
                    assert.equal(parseLine('    at charge (billing.js:12:9)'), null)
                  },
              newText: |2
                    assert.equal(parseLine('    at charge (billing.js:12:9)'), null)
                  },
                  'answers null for an empty line'() {
                    assert.equal(parseLine(''), null)
                  },
          - call: bash
            with: { command: "node test.js; git add tests && git commit -qm 'Say in tests what the line parser should read'" }
      - wait: 3s
      - report:
          title: Eight tests, six of them fail
          markdown: |
            \`tests/parse-line.test.js\` holds eight tests. Two pass; the other six fail, and each failure is a mistake in the parser:

            | line has | today | expected |
            |---|---|---|
            | \`upstream said: timed out\` | \`upstream said\` | the whole message |
            | \`note="try again later"\` | \`"try\` | \`try again later\` |
            | \`to=/login?next=/cart\` | \`/login?next\` | \`/login?next=/cart\` |
            | \`GET /search?q=shoes\` | a field \`/search?q\` | stays in the message |
            | a stack trace | TypeError | \`null\` |
            | nothing | TypeError | \`null\` |

            I left \`src/parse-line.js\` as it is.

  writer:
    turns:
      - steps:
          - think: What the parser does and what it is meant to do are two things. I'll describe the second and mark what the sample proves.
          - say: I'll read the parser next to the sample.
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
          - say: One check that the README says nothing that is no longer true.
          - call: search_files
            with: { pattern: "To be written|TODO", ignoreCase: true }
          - call: bash
            with: { command: "git add -A && git commit -qm 'Describe the log format' && git show --stat --oneline HEAD" }
          - wait: 3s
      - report:
          title: The format is described
          markdown: |
            \`docs/FORMAT.md\` describes an entry part by part, and the README links to it.

            Two things the parser should be held to, as the sample has both:

            - quoted values keep their spaces,
            - a line that is no entry belongs to the one above it.

  fixer:
    turns:
      - steps:
          - say: First the failures as they are.
          - call: bash
            with: { command: "node test.js" }
          - call: task
            with:
              agent: reviewer
              title: Check who relies on the parser
              prompt: >-
                Find everything that uses what parseLine gives, and say whether answering null, or other
                messages and fields, would break it. Add tests for what has none.
              background: true
          - think: >-
              Splitting is the root of all six. One pattern for the line and one for the fields says what
              an entry is, and everything else is no entry.
      - steps:
          - wait: 3s
          - call: write_file
            with:
              path: src/parse-line.js
              content: |
                const linePattern = /^(\\S+) (DEBUG|INFO|WARN|ERROR) ([\\w-]+): (.*)$/
                const fieldPattern = /\\s*\\b([\\w.-]+)=(?:"([^"]*)"|(\\S+))/g

                /** Reads one line of a log (docs/FORMAT.md). Null: the line is no entry, but a part of the one above. */
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
              One left: the query. A word boundary also stands between the question mark and the q. A field
              has to begin after a space, or at the very start.
          - say: "One left: \`?q=shoes\` is still taken for a field, because a word boundary is not enough. A field begins after a space."
          - wait: 900ms
          - call: edit_file
            with:
              path: src/parse-line.js
              oldText: '/\\s*\\b([\\w.-]+)='
              newText: '/(?:^|\\s)([\\w.-]+)='
          - call: bash
            with: { command: "node test.js && git add -A && git commit -qm 'Read lines by a pattern instead of splitting them'" }
      - steps:
          - say: All green. Now what the reviewer found.
          - wait: 800ms
          - call: task_await
            with: { tasks: all }
          - call: task_apply_patch
            with: { task: Check who relies on the parser }
          - call: bash
            with: { command: "node test.js && git add -A && (git diff --cached --quiet || git commit -qm 'Add tests of the summary')" }
      - report:
          title: The parser reads all eight
          markdown: |
            All eight tests pass. The parser no longer splits; two patterns say what an entry is:

            ~~~js
            const linePattern = /^(\\S+) (DEBUG|INFO|WARN|ERROR) ([\\w-]+): (.*)$/
            const fieldPattern = /(?:^|\\s)([\\w.-]+)=(?:"([^"]*)"|(\\S+))/g
            ~~~

            What is no entry gives \`null\`. The reviewer found one caller, which is ready for that, and added two tests of the summary.

  reviewer:
    turns:
      - steps:
          - say: Who calls it, and who uses what it gives?
          - call: search_files
            with: { pattern: 'parseLine|\\.fields|\\.message', glob: "*.js" }
          - call: read_file
            with: { path: src/summary.js }
          - wait: 500ms
      - steps:
          - think: readLog drops the nulls, so summarise never sees one. But it compares fields.ms as numbers, and an entry without ms gives NaN. That happens to work; a test should say so.
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
                  'finds the slowest, past entries without a time'() {
                    const slow = entry('INFO', { ms: '1204' })
                    assert.equal(summarise([entry('WARN'), slow, entry('INFO', { ms: '48' })]).slowest, slow)
                  },
                }
          - call: bash
            with: { command: "node test.js | tail -n 4; git add tests && git commit -qm 'Say in tests what the summary relies on'" }
          - wait: 2s
      - report:
          title: One caller, and it is safe
          markdown: |
            1. \`readLog\` is the only caller. It passes over \`null\` already.
            2. \`summarise\` reads \`fields.ms\` and \`level\`; both stay as they are. An entry without \`ms\` compares as \`NaN\`, which is never the slowest: right, if by luck, so \`tests/summary.test.js\` now says it.
            3. \`bin/log-summary.js\` prints \`message\`, which only gets longer.
`
