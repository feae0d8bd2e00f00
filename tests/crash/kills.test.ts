/**
 * The built command line, killed with its Git in the middle of a scenario, a few times on one data
 * directory, and all that comes after: the next commands, a second start, a further agent. From the second
 * kill on it may be the recovery from the one before that is cut short.
 */
import { expect, it } from 'vitest'
import { demoFiles, demoScenario } from '../../src/main/agents/scripted/demo/index.ts'
import { createSandbox } from '../cli/shiplog-process.ts'
import { seed, soakFactor, within } from './effort.ts'
import { createRandom, type Random } from './fault-fs/random.ts'
import { whatIsWrong } from './kills/aftermath.ts'
import {
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
      - report: { title: Voyage over, markdown: "All well.\\n\\n{{last.output}}" }
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
const quickDemo = demoScenario.replaceAll(/wait: [\d.]+m?s/g, 'wait: 50ms')
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

/** Tries plans for `seconds`, one group of them at least, and tells what was wrong after which. */
async function tryPlans(
  seconds: number,
  planFrom: (random: Random) => KillPlan,
  play: Play,
): Promise<void> {
  // Each try has a seed of its own, so that how many came before it makes no difference.
  const seeds = Array.from({ length: 10_000 }, (_, n) => seed + n)
  const failures = new Map<string, string>()
  let kills = 0
  const tried = await within(seconds, seeds, async (own) => {
    const random = createRandom(own)
    const plans = Array.from({ length: killsATry }, () => planFrom(random))
    const found = await attempt(plans, random, play)
    kills += found.kills
    for (const one of found.wrong) {
      const kind = one.replaceAll(/[0-9a-f]{8}(-[0-9a-f-]{27})?/g, '*')
      if (!failures.has(kind))
        failures.set(kind, `seed ${own}: ${plans.map(describePlan).join(', then ')}`)
    }
  })
  console.log(`${kills} kills in ${tried} data directories, seed ${seed}`)
  expect(Object.fromEntries([...failures].slice(0, 20))).toEqual({})
  expect(kills).toBeGreaterThan(0)
}

const timeout = 120_000 * soakFactor

const crewPlan = (random: Random): KillPlan =>
  random.chance(0.5) ? fileCallPlan(random, fileCallsMax) : gitCommandPlan(random, gitCommandsMax)

it(
  '[J6][R1][T3] loses nothing that it told when it is killed at a call to the file system, or around a command of Git',
  { timeout },
  () => tryPlans(6, crewPlan, { scenario: crew }),
)

it(
  '[J6][R1][T3] loses nothing that it told when it is killed at any moment of the demo',
  { timeout },
  () =>
    tryPlans(5, (random) => timePlan(random, demoMsMax), { scenario: quickDemo, files: demoFiles }),
)
