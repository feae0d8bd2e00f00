/** What a command prints at the end of a run: the report, else the answer of an agent that talks to a user. */
import { expect, it } from 'vitest'
import { printResult } from '../../../src/main/hosts/cli/commands/agents/report-run.ts'
import type { CliContext } from '../../../src/main/hosts/cli/context.ts'
import type { CliSession } from '../../../src/main/hosts/cli/with-shiplog.ts'
import type { TaskTree } from '../../../src/shared/records/tasks/tasks.ts'

const answered = { type: 'message', role: 'assistant', status: 'complete' }
const session = {
  client: {
    transcripts: {
      page: async () => ({
        entries: [
          { ...answered, parts: [{ type: 'text', text: 'I look.' }, { type: 'tool-call' }] },
          { ...answered, parts: [{ type: 'text', text: 'It is the parser.' }] },
          { type: 'run-end' },
        ],
      }),
    },
  },
  ending: new AbortController().signal,
} as unknown as CliSession

it.each([
  ['a model', { kind: 'model' }, ['It is the parser.\n'], []],
  ['an installed agent', { kind: 'acp' }, ['It is the parser.\n'], []],
  ['a scenario', { kind: 'scripted' }, [], ['The agent ended without a report.']],
])('prints the last message of %s that gave no report', async (_, spec, out, said) => {
  const printed: string[] = []
  const lines: string[] = []
  const context = {
    out: { isTTY: false, write: async (text: string) => void printed.push(text) },
    say: async (line: string) => void lines.push(line),
  } as unknown as CliContext
  const task = { id: 'a', status: 'completed', spec, workspace: null } as unknown as TaskTree
  await printResult(context, session, task, {
    type: 'result',
    taskId: task.id,
    status: 'completed',
    report: null,
  })
  expect([printed, lines]).toEqual([out, said])
})
