/**
 * The lead of the demo: it has tests written and the format described at the same time, fixes a file itself in the
 * meantime, and then passes the bugs found to a fixer, which starts its own reviewer.
 */
import { type AgentPreset, agentPresets } from '../../../../shared/agents/installed-agents.ts'

const nameOf = (agent: AgentPreset): string => agentPresets[agent].name

const explorerTitle = 'Look for weak spots elsewhere'

/** A real agent on the same project. Its answers vary, so nothing else depends on it. */
const exploring = (agent: AgentPreset): string => `          - call: task
            with:
              agent: ${agent}
              title: ${explorerTitle}
              prompt: >-
                Read this small project. Name the three places outside src/parse-line.js that are most likely to
                fail on unusual logs, each with its file and line, in at most ten lines. Change no file.
              background: true
              parallelGroup: groundwork
`

const awaiting = (agent: AgentPreset): string => `          - say: What did ${nameOf(agent)} find?
          - call: task_await
            with: { tasks: ["${explorerTitle}"], timeout: 5m }
`

export const demoLead = (agent: AgentPreset | null): string => `version: 1
name: make-the-log-reader-robust
agents:
  lead:
    turns:
      - steps:
          - think: >-
              "Robust" is vague until I know what breaks. First I look at the code, then at whether there are
              any tests, and only then do I split the work.
          - say: I'll look at the code before I change anything.
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
              It fails on its own sample: the stack trace has no colon where the parser expects one.
              Splitting at every colon and every equals sign can't be right either. Tests and the
              description of the format don't depend on each other, so both can start now. The parser
              itself should wait for the tests, or I'd be guessing twice.
          - say: |
              The reader fails on its own sample file, and there are no tests at all. My plan:

              1. Have the parser **covered with tests**, failing ones included, and the **format described**, in parallel.
              2. Meanwhile make \`read-log.js\` handle lines that aren't entries.
              3. Then have the parser **fixed** against those tests.
      - steps:
          - call: task
            with:
              agent: tester
              title: Cover the line parser with tests
              prompt: >-
                Write tests for parseLine in src/parse-line.js: for what works today, and for what a reader of
                samples/app.log would expect but does not get. Lines that aren't entries should return null.
                Don't change the parser. Failing tests are welcome: they show what to fix.
              background: true
              parallelGroup: groundwork
          - call: task
            with:
              agent: writer
              title: Describe the log format
              prompt: >-
                Document the format that src/parse-line.js should read in docs/FORMAT.md, with
                samples/app.log as evidence, and link it from the README in place of "To be written."
              background: true
              parallelGroup: groundwork
${agent ? exploring(agent) : ''}          - say: ${agent ? 'All three' : 'Both'} are running. In the meantime I'll fix my part.
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
                 * Reads a whole log, oldest entry first. A line that isn't an entry itself, such as one of a stack
                 * trace, belongs to the entry above it.
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
          - say: "\`readLog\` now relies on \`parseLine\` returning \`null\` for lines that aren't entries. The tester's brief already says so."
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
              Six failures, each of them something the sample has or could have. That is a precise brief for someone who
              hasn't seen any of this. The fixer's worktree starts from mine, so the tests are in it.
          - say: The tests show exactly what is wrong. I pass that on to the fixer.
          - wait: 1s
          - call: task
            with:
              agent: fixer
              title: Fix the line parser
              prompt: >-
                Make all tests in tests/parse-line.test.js pass by fixing src/parse-line.js. Don't change
                the tests. Have someone check which code relies on how the parser behaves today.
          - call: task_apply_patch
            with: { task: Fix the line parser }
      - steps:
          - call: task_await
            with: { tasks: ["Describe the log format"], timeout: 30s }
          - call: task_apply_patch
            with: { task: Describe the log format }
          - wait: 900ms
          - call: bash
            with: { command: "node test.js" }
          - call: bash
            with: { command: "git add -A; git diff --cached --quiet || git commit -qm 'Read every line of the sample: fix the parser, describe the format'; git status --short" }
${agent ? awaiting(agent) : ''}          - call: bash
            with: { command: "node bin/log-summary.js samples/app.log" }
          - wait: 700ms
      - report:
          title: The log reader reads its own sample
          markdown: |
            The reader now handles every line of \`samples/app.log\`. All tests pass, and there were none before.

            | what | before | now |
            |---|---|---|
            | stack traces | crash | kept with their entry, as \`trace\` |
            | \`note="try again later"\` | cut at the first space | one value |
            | \`upstream said: timed out\` | cut at the colon | whole |
            | \`GET /search?q=shoes\` | query parsed as a field | kept in the message |
            | tests | none | the parser and the summary |

            \`node bin/log-summary.js samples/app.log\` prints:

            ~~~text
            {{last.output}}
            ~~~

            How we got there:

            - The **tester** found six bugs before anyone changed the parser.
            - The **fixer** fixed them; its reviewer checked the only caller and added tests for it.
            - The **writer** described the format in \`docs/FORMAT.md\`.
${agent ? `            - **${nameOf(agent)}** was asked for weak spots elsewhere: its card has what it found.\n` : ''}
            Still open: times without a zone are read as local time. I'd ask the team that writes the logs.

`
