/** A crash at every step of an apply and of its undo: the user's files, the ledger, and what comes next. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import { crashResidue } from '../../src/main/doctor/problems.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { gitProject, writeFiles } from '../harness.ts'
import { disownLease } from './crash-check.ts'
import { isSoak, seed, tryEach } from './effort.ts'
import { crashStates } from './explore.ts'
import type { CrashState } from './fault-fs/crash-state.ts'
import { record } from './fault-fs/record.ts'
import type { Trace, Tree } from './fault-fs/trace.ts'
import { differences, readTree, writeTree } from './fault-fs/tree.ts'
import { scratchParent } from './places.ts'
import { flatten, quiet } from './services.ts'

const command = [
  'sed -i s/two/TWO/ both.txt',
  'git mv old.txt renamed.txt',
  'rm gone.txt file && mkdir file && echo inside > file/inside',
  'rm -r folder && echo "a file now" > folder',
  'ln -s both.txt link',
  'mkdir -p new/deep && echo new > new/deep/n.txt',
].join(' && ')

const scenario = `
version: 1
name: changes
agents:
  lead:
    turns:
      - call: bash
        with: { command: '${command}' }
`

/** What Git writes is not in the trace, so it stays as the last run left it. */
const isGits = (path: string) =>
  /^project\/\.git(?:$|\/)|^data\/(?:worktrees|turn-store|logs)(?:$|\/)/.test(path)

const filesOf = (place: string): Tree =>
  new Map([...readTree(join(place, 'project'))].filter(([path]) => !/^\.git(?:$|\/)/.test(path)))

type Told = 'applied' | 'undone'

let place: string
let taskId: TaskId
let trace: Trace
let before: Tree
let after: Tree

beforeAll(async () => {
  place = mkdtempSync(join(scratchParent, 'shiplog-crash-'))
  const dir = await gitProject(join(place, 'project'), {
    'both.txt': 'one\ntwo\nthree\nfour\nfive\n',
    'old.txt': 'to be renamed\n',
    'gone.txt': 'gone\n',
    file: 'f\n',
    'folder/x': 'x\n',
  })
  const shiplog = await open()
  const project = await shiplog.client.projects.add({ dir })
  const source = {
    agent: { kind: 'scripted' as const, scenario, source: 'changes.yaml' },
    prompt: 'Go',
  }
  taskId = (await shiplog.client.tasks.start({ projectId: project.id, ...source })).taskId
  await quiet(shiplog)
  await shiplog.close()
  // Nowhere but here.
  await writeFiles(dir, { 'both.txt': 'one\ntwo\nthree\nfour\nMINE\n', 'untracked.txt': 'mine\n' })
  before = filesOf(place)

  const recording = record(place, { ignore: isGits })
  const again = await open()
  await again.client.tasks.applyPatch({ taskId })
  after = filesOf(place)
  recording.ack('applied' satisfies Told)
  await again.client.tasks.undoApply({ taskId })
  recording.ack('undone' satisfies Told)
  await again.close()
  trace = recording.stop()
  expect(differences(before, filesOf(place))).toEqual([])
})

afterAll(() => rmSync(place, { recursive: true, force: true }))

it('[R3] loses no file of the user after a crash at any step of an apply or its undo, and completes it', {
  timeout: isSoak ? 1_200_000 : 180_000,
}, async () => {
  const { tried, failures } = await tryEach(
    'crash points (applying)',
    crashStates(trace, seed),
    ({ state }) => check(state),
  )
  expect(failures).toEqual({})
  if (!isSoak) expect(tried).toBeGreaterThan(20)
})

async function check(state: CrashState): Promise<string[]> {
  restoreTree(state.tree)
  await disownLease(join(place, 'data'))
  const wrong: string[] = []
  const told = (state.acknowledged as Told[]).at(-1)
  const shiplog = await open()
  try {
    const isBefore = differences(before, filesOf(place))
    const isAfter = differences(after, filesOf(place))
    if (isBefore.length > 0 && isAfter.length > 0)
      wrong.push(`neither before nor after: ${isBefore.join(', ')} / ${isAfter.join(', ')}`)
    if (told === 'undone' && isBefore.length > 0) wrong.push(`undone: ${isBefore.join(', ')}`)
    const applied = isAfter.length === 0
    wrong.push(...(await agreesWith(shiplog, applied)))
    const { problems } = await shiplog.client.doctor.check({ repair: false })
    for (const { kind, path, detail } of problems)
      if (!crashResidue.includes(kind) && !path.startsWith('lease.json'))
        wrong.push(`the doctor: ${kind} ${path}: ${detail}`)
    const { notices } = await shiplog.client.app.info()
    if (!isSoak && wasTried([told, applied, notices.map(({ text }) => text)])) return wrong
    if (!applied) await shiplog.client.tasks.applyPatch({ taskId })
    wrong.push(...differences(after, filesOf(place)).map((one) => `applied again: ${one}`))
    await shiplog.client.tasks.undoApply({ taskId })
    wrong.push(...differences(before, filesOf(place)).map((one) => `undone after it: ${one}`))
  } catch (error) {
    wrong.push(String(error instanceof Error ? error.stack : error))
  } finally {
    await shiplog.close()
  }
  return wrong
}

/** Starts that ended alike: what an apply and an undo do after one of them is seen once. */
const tried = new Set<string>()

function wasTried(start: unknown): boolean {
  const key = JSON.stringify(start)
  if (tried.has(key)) return true
  tried.add(key)
  return false
}

async function agreesWith(shiplog: Shiplog, applied: boolean): Promise<string[]> {
  const { tasks } = await shiplog.client.tasks.list({ all: true })
  const [task] = flatten(tasks)
  const wrong: string[] = []
  if ((task?.patch === 'applied') !== applied) wrong.push(`its patch is ${task?.patch}`)
  if (task?.fileUpdates?.some(({ doneAt }) => doneAt === null)) wrong.push('an update has no end')
  return wrong
}

/** The state of the disk, but for what Git wrote. */
function restoreTree(tree: Tree): void {
  for (const part of ['project', 'data'])
    for (const name of readdirSync(join(place, part)))
      if (!isGits(`${part}/${name}`)) rmSync(join(place, part, name), { recursive: true })
  writeTree(place, new Map([...tree].filter(([path]) => !isGits(path))))
}

const open = () => openShiplog({ dataDir: join(place, 'data'), host: 'cli' })
