/** Short scenarios. What takes time in them waits at a gate for the test, never for a clock. */

/** `Line 1.`, `Line 2.`, each a paragraph. */
const manyLines = (text: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${text} ${index + 1}.`).join('\n\n')

/**
 * Everything that a card can show, at an end: a report with a nested task below it, a patch that was
 * applied, one that waits, one that conflicts, and a failure.
 */
export const familyScenario = `version: 1
name: family
agents:
  lead:
    turns:
      - steps:
          - think: |
              First what is there.
              Only then who does what.
          - say: "I look at what is there before I change anything: **{{prompt}}**."
          - call: list_files
          - call: read_file
            with: { path: README.md }
          - call: search_files
            with: { pattern: Hello }
      - steps:
          - call: task
            with: { agent: tester, title: Cover the parser, prompt: Write the tests., background: true }
          - call: task
            with: { agent: writer, title: Write the guide, prompt: Write a guide., background: true }
          - call: task
            with: { agent: clasher, title: Rename the project, prompt: Rename it., background: true }
          - call: task
            with: { agent: doomed, title: Run the benchmark, prompt: Measure it., background: true }
          - call: edit_file
            with: { path: README.md, oldText: "# Hello", newText: "# Parser" }
          - call: bash
            with: { command: "git commit -qam 'Name the project' && git log --oneline -1" }
      - call: task_await
        with: { tasks: all }
      - steps:
          - call: task_apply_patch
            with: { task: Cover the parser }
          - call: bash
            with: { command: "git add -A && git commit -qm 'Add the tests'" }
      - report:
          title: The parser is covered
          markdown: |
            Two tests were added. **Nothing else** was touched.

            | what | before | now |
            |---|---|---|
            | tests | none | two |
  tester:
    turns:
      - say: I write the tests, and have them checked.
      - call: write_file
        with: { path: tests/parser.test.txt, content: "one\\ntwo\\n" }
      - call: task
        with: { agent: checker, title: Check the tests, prompt: Are they right? }
      - report:
          title: Two tests
          markdown: |
            Both pass.

            1. The first one reads a line.
            2. The second one reads many.
            3. A third was not needed.
            4. Nor was a fourth.
            5. Nor was a fifth.
            6. Nor was a sixth.
            7. Nor was a seventh.
            8. Nor was an eighth.
            9. Nor was a ninth.
            10. Nor was a tenth.
            11. Nor was an eleventh.
            12. Nor was a twelfth.

            The end of the tester's report.
  checker:
    turns:
      - think: Two lines, two tests.
      - call: read_file
        with: { path: tests/parser.test.txt }
      - report: { title: They are right, markdown: Both were read. }
  writer:
    turns:
      - call: write_file
        with: { path: docs/guide.md, content: "# Guide\\n\\nRead a line.\\n" }
      - report: { title: Guide written, markdown: One page. }
  clasher:
    turns:
      - call: write_file
        with: { path: README.md, content: "# Another name\\n" }
      - report: { title: Renamed, markdown: It has another name. }
  doomed:
    turns:
      - call: bash
        with: { command: "ls no-such-file" }
      - fail: There is no benchmark to run
`

/** A lead at a gate, over a helper at another. */
export const gatedScenario = (gates: { lead: string; helper: string }) => `version: 1
name: gated
agents:
  lead:
    turns:
      - say: I ask a helper and keep working.
      - steps:
          - call: task
            with: { agent: helper, title: Help along, prompt: Help., background: true }
          - call: bash
            with: { command: "${gates.lead}" }
      - call: task_await
        with: { tasks: all }
      - report: { title: Done together, markdown: "{{last.output}}" }
  helper:
    turns:
      - say: The helper has begun.
      - call: bash
        with: { command: "${gates.helper}" }
      - steps:
          - call: write_file
            with: { path: helped.txt, content: "helped\\n" }
          - say: The helper is past the gate.
      - report: { title: Helped, markdown: Help was given. }
`

/** Says something in a turn that does not end before the gate is open. */
export const cutShortScenario = (gate: string) => `version: 1
name: cut-short
agents:
  lead:
    turns:
      - say: The first turn is whole.
      - steps:
          - say: This was said before the gate.
          - call: bash
            with: { command: "${gate}" }
          - say: This comes after the gate.
      - say: "Again: {{prompt}}"
`

/** One turn for each prompt. */
export const talkScenario = `version: 1
name: talk
agents:
  lead:
    turns:
      - say: "You said: {{prompt}}."
`

/** Sixty lines, a gate, sixty more, a gate, and sixty more. */
export const longTalkScenario = (gates: [string, string]) => `version: 1
name: long-talk
agents:
  lead:
    turns:
${['1', '2', '3']
  .map((part, index) => {
    const gate = gates[index]
    const wait = gate ? `\n          - call: bash\n            with: { command: "${gate}" }` : ''
    return `      - steps:\n          - say: ${JSON.stringify(manyLines(`Part ${part}, line`, 60))}${wait}`
  })
  .join('\n')}
`

/** The second prompt asks for a report that the first run has had already. */
export const awaitAgainScenario = `version: 1
name: await-again
agents:
  lead:
    turns:
      - call: task
        with: { agent: helper, title: Help along, prompt: Help. }
      - report: { title: First, markdown: It is over. }
      - call: task_await
        with: { tasks: [Help along] }
      - say: "It said: {{last.output}}"
  helper:
    turns:
      - report: { title: Helped, markdown: Help was given long ago. }
`

/** Has something done, waits at the gate, and then has much to say. */
export const askAndTalkScenario = (gate: string) => `version: 1
name: ask-and-talk
agents:
  lead:
    turns:
      - steps:
          - say: I ask a helper first.
          - call: task
            with: { agent: helper, title: Help along, prompt: Help. }
          - call: bash
            with: { command: "${gate}" }
      - say: ${JSON.stringify(manyLines('Line', 60))}
  helper:
    turns:
      - report: { title: Helped, markdown: Help was given. }
`

/** `count` turns, several pages of entries: `Entry 1.` and on, some of them with more below than others. */
export const manyTurnsScenario = (count: number) => `version: 1
name: many-turns
agents:
  lead:
    turns:
${Array.from({ length: count }, (_, index) => {
  const calls = '\n          - call: list_files'.repeat((index % 2) + 1)
  return `      - steps:\n          - say: "Entry ${index + 1}."${calls}`
}).join('\n')}
`
