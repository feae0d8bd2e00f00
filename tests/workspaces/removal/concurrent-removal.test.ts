/** What people and agents do to one tree at the same time ends in one consistent state, whatever the order. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Shiplog } from '../../../src/main/composition/shiplog.ts'
import { isSettled } from '../../../src/shared/records/tasks/task-status.ts'
import { isSoak, seed, soakFactor, tryEach } from '../../crash/effort.ts'
import { createRandom, type Random } from '../../crash/fault-fs/random.ts'
import { allTasks, entriesOf, openFixture, start, taskOf, until } from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { itInSoak } from '../../soak.ts'

const crew = `
version: 1
name: crew
agents:
  lead:
    turns:
      - steps:
          - call: write_file
            with: { path: lead.txt, content: "lead\\n" }
          - call: task
            with: { agent: mate, title: Mate, prompt: Go, background: true }
          - call: task
            with: { agent: boy, title: Idler, prompt: Go, background: true }
      - call: task_await
        with: { tasks: all }
      - call: task_apply_patch
        with: { task: Mate }
      - report: { title: Over, markdown: All well. }
  mate:
    turns:
      - call: task
        with: { agent: boy, title: Boy, prompt: Go }
      - call: write_file
        with: { path: mate.txt, content: "mate\\n" }
      - report: { title: Kept, markdown: Kept. }
  boy:
    turns:
      - call: bash
        with: { command: "echo {{taskId}} > {{taskId}}.txt" }
      - report: { title: Land, markdown: "Land at {{taskId}}." }
`
const titles = ['Mate', 'Idler', 'Boy']

const acts = ['remove', 'remove', 'remove', 'apply', 'apply', 'undo', 'diff', 'resume'] as const
const rootActs = [
  ...acts,
  ...(['restore', 'trash', 'untrash', 'prompt', 'stop', 'stop', 'resume', 'resume'] as const),
  ...(['restart', 'abandon', 'continue'] as const),
]
type Act = (typeof rootActs)[number]

/** One of the tree by its title; null: the root. Begun once so many ledger events have been published. */
interface Move {
  act: Act
  of: string | null
  after: number
}

function movesOf(random: Random): Move[] {
  return Array.from({ length: 4 + random.below(6) }, () => {
    const of = random.chance(0.5) ? null : random.pick(titles)
    return { act: random.pick<Act>(of ? acts : rootActs), of, after: random.below(60) }
  })
}

it('[R1] [R5] [A1] reaches a consistent state whatever is removed, applied, restored and resumed at once', {
  timeout: isSoak ? 1_200_000 : 300_000,
}, async () => {
  const cases = Array.from({ length: isSoak ? 4 * soakFactor : 1 }, (_, n) => ({
    name: `seed ${seed + n}`,
    n,
  }))
  const { failures } = await tryEach('interleavings', cases, ({ n }) => play(seed + n))
  expect(failures).toEqual({})
})

async function play(one: number): Promise<string[]> {
  const random = createRandom(one)
  const moves = movesOf(random)
  const fixture = await openFixture()
  const root = await start(fixture, crew, { keep: random.chance(0.5) })
  const wrong: string[] = []
  await Promise.all(
    moves.map(async (move) => {
      await eventsReach(fixture.shiplog, move.after)
      await act(fixture.shiplog, root, move).catch((error) => {
        // An answer: it is not there yet, or not any more, or it is at work.
        if (error.code !== 'REFUSED' && error.code !== 'NOT_FOUND')
          wrong.push(`${move.act} of ${move.of ?? 'the root'}: ${error.code} ${error.stack}`)
      })
    }),
  )
  await over(fixture.shiplog)
  wrong.push(...(await whatIsWrong(fixture.shiplog)))
  wrong.push(...(await whatIsWrong(await fixture.restart())).map((text) => `restarted: ${text}`))
  await fixture.shiplog.close()
  return wrong.map((text) => `${text} (${JSON.stringify(moves)})`)
}

async function act({ client }: Shiplog, root: string, { act, of }: Move): Promise<unknown> {
  const { tasks } = await client.tasks.list({ all: true })
  const flat = tasks.flatMap(function all(task): typeof tasks {
    return [task, ...task.children.flatMap(all)]
  })
  const workspaceId = of === null ? root : (flat.find(({ title }) => title === of)?.id ?? root)
  const taskId = workspaceId as never
  switch (act) {
    case 'remove':
      return client.workspace.remove({ workspaceId })
    case 'apply':
      return client.tasks.applyPatch({ taskId })
    case 'undo':
      return client.tasks.undoApply({ taskId })
    case 'resume':
      return client.tasks.resume({ selector: { by: 'tree', taskId }, force: true })
    case 'restart':
      return client.tasks.restart({ taskId })
    case 'abandon':
      return client.tasks.abandon({ taskId })
    case 'continue':
      return client.tasks.continueFrom({ taskId, prompt: 'And now?' })
    case 'diff':
      return client.workspace.diff({ workspaceId })
    case 'restore':
      return client.workspace.restore({ workspaceId })
    case 'trash':
      return client.workspace.trash({ workspaceId })
    case 'untrash':
      return client.workspace.untrash({ workspaceId })
    case 'prompt':
      return client.tasks.prompt({ taskId, prompt: 'And now?' })
    case 'stop':
      return client.tasks.stop({ taskId })
  }
}

/** Or until nothing more happens. */
async function eventsReach(shiplog: Shiplog, count: number): Promise<void> {
  let seen = 0
  const abort = new AbortController()
  const feed = await shiplog.client.feed.ledger(undefined, { signal: abort.signal })
  try {
    for await (const news of feed) {
      if (news.type === 'records') seen += news.records.length
      if (seen >= count || (await isOver(shiplog))) return
    }
  } finally {
    abort.abort()
  }
}

async function isOver(shiplog: Shiplog): Promise<boolean> {
  const tasks = await allTasks(shiplog)
  return (
    shiplog.runningAgents().length === 0 &&
    tasks.every(({ status }) => isSettled(status) || status === 'blocked')
  )
}

/** No run, and no removal or restore under way. */
async function over(shiplog: Shiplog): Promise<void> {
  await until(
    shiplog,
    async (tasks) =>
      (await isOver(shiplog)) &&
      tasks.every(
        ({ workspace }) =>
          !workspace?.restoring && (!workspace?.removal || workspace.removal === 'removed'),
      ),
  )
}

async function whatIsWrong(shiplog: Shiplog): Promise<string[]> {
  const wrong: string[] = []
  const { client } = shiplog
  const { problems } = await client.doctor.check({ repair: false })
  wrong.push(...problems.map(({ kind, path, detail }) => `${kind} ${path} ${detail}`))
  const { notices } = await client.app.info()
  for (const { tone, text, details } of notices)
    if (tone === 'error') wrong.push(`told: ${text} ${details.join(' ')}`)
  for (const { id, title, hasReport, runs, archived, workspace } of await allTasks(shiplog)) {
    const entries = await entriesOf(shiplog, id)
    if (runs.length > 0 && entries.length === 0) wrong.push(`no transcript of ${title}`)
    if (new Set(entries.map(({ uuid }) => uuid)).size < entries.length)
      wrong.push(`entries twice in ${title}`)
    if (archived !== (workspace?.removal === 'removed'))
      wrong.push(
        `${title} is ${archived ? '' : 'not '}archived and its removal ${workspace?.removal}`,
      )
    if (!hasReport) continue
    const { reportMarkdown } = await client.tasks.report({ taskId: id })
    if (!reportMarkdown) wrong.push(`no report of ${title}`)
  }
  return wrong
}

/** All of them have ended, and kept their worktrees. */
const openKept = preparedFixture(async (fixture) => {
  const root = await start(fixture, crew, { keep: true })
  await over(fixture.shiplog)
  return { root }
})

itInSoak(
  '[R1] removes a workspace once if requested twice, even with its parent at the same time',
  {
    timeout: 60_000,
  },
  async () => {
    const { fixture, root } = await openKept()
    const { client } = fixture.shiplog
    const mate = await taskOf(fixture.shiplog, 'Mate')
    await Promise.all(
      [mate.id, root, mate.id, root].map((workspaceId) => client.workspace.remove({ workspaceId })),
    )
    const tasks = await allTasks(fixture.shiplog)
    expect(tasks.map(({ archived }) => archived)).toEqual([true, true, true, true])
    expect(await whatIsWrong(fixture.shiplog)).toEqual([])
  },
)

it.each(['apply', 'remove'] as const)(
  '[R3] loses nothing that is applied to a workspace during its removal (%s first)',
  { timeout: 180_000 },
  async (first) => {
    const { fixture } = await openKept()
    const { client } = fixture.shiplog
    const [mate, boy] = [
      await taskOf(fixture.shiplog, 'Mate'),
      await taskOf(fixture.shiplog, 'Boy'),
    ]
    // Else its own removal would wait for its applying.
    await client.workspace.remove({ workspaceId: boy.id })
    const apply = () => client.tasks.applyPatch({ taskId: boy.id })
    const remove = () => client.workspace.remove({ workspaceId: mate.id })
    const [applied] =
      first === 'apply'
        ? await Promise.all([apply(), remove()])
        : await Promise.all([remove(), apply()]).then(([removed, done]) => [done, removed])
    expect(applied).toMatchObject({ kind: 'applied' })
    // In the saved changes of the one that was removed, or in the folder of the next one above.
    const saved = await client.workspace.diff({ workspaceId: mate.id })
    const above = (await taskOf(fixture.shiplog, mate.parentId ?? '')).workspace?.path ?? ''
    const name = `${boy.id}.txt`
    const kept = [saved.files.some(({ path }) => path === name), existsSync(join(above, name))]
    expect(kept).toContain(true)
    expect(await whatIsWrong(fixture.shiplog)).toEqual([])
  },
)
