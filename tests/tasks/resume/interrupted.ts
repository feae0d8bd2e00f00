/** Agents that were interrupted in the middle of their work, to be resumed, restarted or gone on from. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Shiplog } from '../../../src/main/composition/shiplog.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { ResumeSelector } from '../../../src/shared/records/resume.ts'
import { type Fixture, start } from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { hold, untilAllHold } from '../../waiting-agents.ts'

/** Notes a word outside of the worktrees, so that a call that ran twice shows. */
const note = (log: string, word: string) => `{ command: "echo ${word} >> '${log}'" }`
export const agent = (name: string, turns: string[]) => `
  ${name}:
    turns:
${turns.map((turn) => `      ${turn}`).join('\n')}`

/** Three sub-agents in two depths, each of which notes a word, holds, and notes another. */
function threeDeep(dir: string): string {
  const log = join(dir, 'log')
  const worker = (name: string, children: string[] = []) =>
    agent(name, [
      `- { call: bash, with: ${note(log, `${name}-before`)} }`,
      ...children.map(
        (child) =>
          `- { call: task, with: { agent: ${child}, title: ${child}, prompt: Go, background: true } }`,
      ),
      `- { call: bash, with: ${hold(dir)} }`,
      `- { call: bash, with: ${note(log, `${name}-after`)} }`,
      ...(children.length > 0 ? ['- { call: task_await, with: { tasks: all } }'] : []),
      `- report: { title: ${name} done, markdown: Done. }`,
    ])
  return `
version: 1
name: three-deep
agents:${worker('lead', ['left', 'right'])}${worker('left', ['inner'])}${worker('right')}${worker('inner')}
`
}

export async function resume(
  shiplog: Shiplog,
  selector: ResumeSelector,
  over: {
    force?: boolean
    choices?: Record<TaskId, 'resume' | 'restart' | 'abandon' | 'leave'>
  } = {},
) {
  const outcome = await shiplog.client.tasks.resume({ selector, ...over })
  const taskIds = outcome.accepted.map(({ taskId }) => taskId)
  const { ended } = await shiplog.client.tasks.resumeEnded({ taskIds })
  return { ...outcome, ended }
}

export const wordsIn = async (dir: string) =>
  (await readFile(join(dir, 'log'), 'utf8')).trim().split('\n')

interface Interrupted {
  fixture: Fixture
  root: TaskId
  shiplog: Shiplog
}

/** Six in three depths, and whole processes killed: `tests/crash/resume-kills.test.ts`. */
const openTree = preparedFixture(
  async (fixture) => {
    const root = await start(fixture, threeDeep(fixture.dir))
    await untilAllHold(fixture.shiplog, 4)
    return { root }
  },
  { agentsAtOnce: 16 },
)

/** What they waited for is there. */
export async function interruptedTree(): Promise<Interrupted> {
  const { fixture, root } = await openTree()
  await writeFile(join(fixture.dir, 'go'), '')
  return { fixture, root, shiplog: fixture.shiplog }
}

/** Four agents with a worktree each, twice: a minute on a machine that is busy with other tests. */
export const treeTimeoutMs = 120_000

export const alone = (dir: string) => `
version: 1
name: alone
agents:${agent('lead', [
  `- { call: bash, with: ${note(join(dir, 'log'), 'one')} }`,
  '- { call: write_file, with: { path: mine.txt, content: "mine" } }',
  `- { call: bash, with: ${hold(dir)} }`,
  `- { call: bash, with: ${note(join(dir, 'log'), 'two')} }`,
  '- report: { title: Done, markdown: "Done in {{cwd}}" }',
  `- { call: bash, with: ${note(join(dir, 'log'), 'three')} }`,
  '- report: { title: Done again, markdown: Again. }',
  `- { call: bash, with: ${note(join(dir, 'log'), 'four')} }`,
  '- report: { title: Done once more, markdown: Once more. }',
])}
`

const openAlone = preparedFixture(async (fixture) => {
  const root = await start(fixture, alone(fixture.dir))
  await untilAllHold(fixture.shiplog, 1)
  return { root }
})

export async function interruptedAlone(): Promise<Interrupted> {
  const { fixture, root } = await openAlone()
  return { fixture, root, shiplog: fixture.shiplog }
}

export const short = `
version: 1
name: short
agents:${agent('lead', ['- report: { title: One, markdown: One. }', '- report: { title: Two, markdown: Two. }'])}
`
