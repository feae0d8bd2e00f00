/**
 * The built command line, killed with its Git in the middle of a scenario, a few times on one data
 * directory, and all that comes after: the next commands, a second start, a further agent. From the second
 * kill on it may be the recovery from the one before that is cut short.
 */
import { expect, it } from 'vitest'
import { demoFiles } from '../../src/main/agents/scripted/demo/project.ts'
import { demoScenario } from '../../src/main/agents/scripted/demo/scenario.ts'
import { createSandbox } from '../cli/processes/shiplog-process.ts'
import { isSoak, reportFigure, seed, soakFactor, tryEach } from './effort.ts'
import { createRandom, type Random } from './fault-fs/random.ts'
import { whatIsWrong } from './kills/aftermath.ts'
import {
  at,
  atGit,
  describePlan,
  fileCallPlan,
  gitCommandPlan,
  type KillPlan,
  timePlan,
} from './kills/plan.ts'
import { type Played, playUntilKilled } from './kills/play.ts'

/** Nested agents in worktrees, commits, uncommitted work, a patch applied, clean-up. */
const crew = `
version: 1
name: crew
agents:
  lead:
    turns:
      - steps:
          - call: write_file
            with: { path: log.txt, content: "day one\\n" }
          - call: task
            with: { agent: mate, title: Mate, prompt: Look after the boy, background: true }
          - call: bash
            with: { command: "git add -A && git commit -qm 'Day one'" }
      - call: task_await
        with: { tasks: all }
      - call: task_apply_patch
        with: { task: Mate }
      - report: { title: FinishedTree over, markdown: "All well.\\n\\n{{last.output}}" }
  mate:
    turns:
      - steps:
          - say: One of you comes with me.
          - call: task
            with: { agent: boy, title: Boy, prompt: Look out }
      - call: task_apply_patch
        with: { task: Boy }
      - call: bash
        with: { command: "git add -A && git commit -qm 'Sighted'; echo more >> mate.txt" }
      - report: { title: Watch kept, markdown: Kept. }
  boy:
    turns:
      - call: write_file
        with: { path: boy.txt, content: "land ho\\n" }
      - report: { title: Land, markdown: Land. }
`
const next = `
version: 1
name: next
agents:
  other:
    turns:
      - call: write_file
        with: { path: next.txt, content: "on\\n" }
      - report: { title: On, markdown: On it went. }
`

/** What the crew takes: a number beyond its end lets it come to that. */
const fileCallsMax = 430
const gitCommandsMax = 12
const killsATry = 3
/** So that the demo's agents are often at work, and not waiting to be watched. */
const quickDemo = demoScenario(null).replaceAll(/wait: [\d.]+m?s/g, 'wait: 50ms')
const demoMsMax = 5000

interface Play {
  scenario: string
  files?: Record<string, string>
}

async function attempt(plans: KillPlan[], random: Random, { scenario, files }: Play) {
  const box = await createSandbox()
  const played: Played[] = []
  try {
    const project = await box.repository('project', files)
    const place = { box, project, next: await box.file('next.yaml', next) }
    const file = await box.file('scenario.yaml', scenario)
    for (const plan of plans) played.push(await playUntilKilled(box, { project, file }, plan))
    const wrong = await whatIsWrong(place, played, random)
    return { wrong, kills: played.filter(({ killed }) => killed).length }
  } finally {
    for (const one of played) await one.noneLeft()
    await box.remove()
  }
}

interface Group {
  name: string
  plans: KillPlan[]
  random: Random
}

const groupOf = (plans: KillPlan[], own: number): Group => ({
  name: `seed ${own}: ${plans.map(describePlan).join(', then ')}`,
  plans,
  random: createRandom(own),
})

/** The soak's: three random plans on each data directory. */
const randomGroups = (count: number, planFrom: (random: Random) => KillPlan): Group[] =>
  Array.from({ length: count }, (_, n) => {
    const random = createRandom(seed + n)
    return groupOf(
      Array.from({ length: killsATry }, () => planFrom(random)),
      seed + n,
    )
  })

async function tryGroups(groups: Group[], play: Play): Promise<void> {
  let kills = 0
  const { failures } = await tryEach('data directories with kills', groups, async (group) => {
    const found = await attempt(group.plans, group.random, play)
    kills += found.kills
    const missed = group.plans.length - found.kills
    // In the list each names a moment that comes; a random one may lie beyond the end.
    return isSoak || missed === 0 ? found.wrong : [...found.wrong, `${missed} were not killed`]
  })
  reportFigure('kills', kills)
  expect(failures).toEqual({})
  expect(kills).toBeGreaterThan(0)
}

const timeout = isSoak ? 1_200_000 : 240_000

const crewPlan = (random: Random): KillPlan =>
  random.chance(0.5) ? fileCallPlan(random, fileCallsMax) : gitCommandPlan(random, gitCommandsMax)

/** At each Git command that changes a repository, and after what no trace of calls without Git has. */
const crewGroups: Group[] = [
  [
    atGit('worktree add', 'meanwhile', 2),
    atGit('update-ref', 'after'),
    atGit('branch', 'meanwhile', 1, 'alone'),
    at('rename sessions/<id>/subagent-patches/<id>/patch.json', 'after', 1, 'alone'),
  ],
].map((plans, n) => groupOf(plans, seed + n))

/** Before and after one of them, and of the classes that a trace of calls has as well (`services.test.ts`). */
const moreCrewGroups: Group[] = [
  [
    atGit('worktree add', 'before'),
    atGit('worktree add', 'meanwhile', 2),
    atGit('worktree add', 'after', 3),
  ],
  [
    at('write ledger.jsonl', 'halfway', 8),
    atGit('branch', 'after'),
    at('rmdir sessions/<id>', 'after'),
  ],
  [
    at('write sessions/<id>/chat.jsonl', 'halfway', 12),
    at('rename sessions/<id>/subagent-reports.json', 'after'),
    at('rename sessions/<id>/subagent-transcripts/<id>/chat.jsonl', 'before'),
  ],
].map((plans, n) => groupOf(plans, seed + crewGroups.length + n))

it(
  '[J6][R1][T3] loses nothing that it told when it is killed at a call to the file system, or around a command of Git',
  { timeout },
  () =>
    tryGroups(
      isSoak
        ? [...crewGroups, ...moreCrewGroups, ...randomGroups(3 * soakFactor, crewPlan)]
        : crewGroups,
      { scenario: crew },
    ),
)

// No fixed moment names a state: what a kill at one meets depends on the machine.
if (isSoak)
  it(
    '[J6][R1][T3] loses nothing that it told when it is killed at any moment of the demo',
    { timeout },
    () =>
      tryGroups(
        randomGroups(2 * soakFactor, (random) => timePlan(random, demoMsMax)),
        { scenario: quickDemo, files: demoFiles },
      ),
  )
