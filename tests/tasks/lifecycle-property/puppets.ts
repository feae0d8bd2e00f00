/**
 * Agents on strings: each says one thing when its run begins, and then does what the test tells it, one
 * order after the other. They stand in the place of the scripted agents; everything else is real.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ScriptedProgram } from '../../../src/main/agents/scripted/scripted-program.ts'
import type { AgentEvent } from '../../../src/shared/agents/driver/agent-events.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { allOf } from '../../runs/past-of.ts'
import { failing, type PlayedRun, playedAgent, speech } from '../../runs/played-agent.ts'

export type Order =
  | { kind: 'speak' }
  | { kind: 'spawn'; title: string; dependsOn: string[] }
  | { kind: 'await' }
  | { kind: 'report' }
  | { kind: 'fail' }
  /** Without a report. */
  | { kind: 'leave' }

interface Puppet {
  taskId: TaskId
  /** Resolves once it has done so, or its run has ended; never rejects. */
  order(order: Order): Promise<void>
  /** It has not done yet what it was told last. */
  busy: boolean
}

export interface Stage {
  readonly program: ScriptedProgram
  /** Does `work`, and all that comes of it, in the life that is now: a crash ends it. */
  inThisLife<T>(work: () => T): T
  /** The runs of this life, by task. */
  on(taskId: TaskId): Puppet[]
  /** What is durable of everybody's words, in order. */
  saidSoFar(): ReadonlyMap<TaskId, string[]>
  /** Ends this process: its agents report to nobody any more. */
  crash(): void
  /** From now on they speak, wait for their sub-agents and report, without being told. */
  letGo(): void
  /** Every run that began in one of the lives. */
  readonly begun: BegunRun[]
}

export interface BegunRun {
  taskId: TaskId
  /** What its history held of words, in order. */
  given: string[]
  /** All that was ever asked of it, this time included. */
  asked: string[]
  /** What had been said until then and was durable, in order. */
  said: ReadonlyMap<TaskId, string[]>
  /** Another run of the same task was under way. */
  besideAnother: boolean
}

export function createStage(): Stage {
  const life = new AsyncLocalStorage<number>()
  let present = 1
  let onTheirOwn = false
  let words = 0
  let puppets: Puppet[] = []
  /** What was said and is durable, in order. */
  const said = new Map<TaskId, string[]>()
  const begun: BegunRun[] = []

  const isPresent = () => life.getStore() === present

  async function* run(input: PlayedRun): AsyncGenerator<AgentEvent> {
    const { taskId } = input
    const { puppet, next } = createPuppet(input)
    const history = await allOf(input.history.entries())
    if (isPresent()) {
      const besideAnother = puppets.some((other) => other.taskId === taskId)
      const given = wordsIn(history)
      const asked = [...textsIn(history, 'user'), input.prompt]
      begun.push({ taskId, given, asked, said: new Map(said), besideAnother })
      puppets.push(puppet)
    }
    try {
      yield* speak(taskId)
      if (onTheirOwn) {
        await input.callTool('task_await', { tasks: 'all' })
        await input.callTool('agent_report', { title: 'Done', markdown: 'Done.' })
        return
      }
      for (;;) {
        const { order, done } = await next()
        try {
          if (order.kind === 'leave') return
          if (order.kind === 'fail') yield failing('I give up')
          else if (order.kind === 'speak') yield* speak(taskId)
          else if ((await carryOut(input, order)).endsRun) return
        } finally {
          done()
        }
      }
    } finally {
      puppets = puppets.filter((other) => other !== puppet)
    }
  }

  async function* speak(taskId: TaskId): AsyncGenerator<AgentEvent> {
    const word = `word-${++words}`
    yield { type: 'turn-started' }
    yield speech(word)
    yield { type: 'turn-ended' }
    // Who is asked for the next event knows that this turn is durable.
    if (isPresent()) said.set(taskId, [...(said.get(taskId) ?? []), word])
  }

  return {
    program: { rootAgent: 'puppet', agent: () => playedAgent(run) },
    inThisLife: (work) => life.run(present, work),
    on: (taskId) => puppets.filter((puppet) => puppet.taskId === taskId),
    saidSoFar: () => new Map(said),
    crash() {
      present++
      puppets = []
    },
    letGo() {
      onTheirOwn = true
    },
    begun,
  }
}

/** What agents said in these entries. */
export const wordsIn = (history: Entry[]): string[] => textsIn(history, 'assistant')

const textsIn = (history: Entry[], role: 'user' | 'assistant'): string[] =>
  history.flatMap((entry) =>
    entry.type === 'message' && entry.role === role
      ? entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : [],
  )

interface Given {
  order: Order
  done: () => void
}

function createPuppet({ taskId, signal }: PlayedRun) {
  const given: Given[] = []
  let wake = () => {}
  const puppet: Puppet = {
    taskId,
    busy: false,
    order(order) {
      const { promise, resolve } = Promise.withResolvers<void>()
      puppet.busy = true
      const done = () => {
        puppet.busy = false
        resolve()
      }
      given.push({ order, done })
      signal.addEventListener('abort', done, { once: true })
      wake()
      return promise
    },
  }
  /** Rejects when it is interrupted. */
  async function next(): Promise<Given> {
    for (;;) {
      signal.throwIfAborted()
      const first = given.shift()
      if (first) return first
      await new Promise<void>((resolve, reject) => {
        wake = resolve
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    }
  }
  return { puppet, next }
}

async function carryOut(
  { callTool }: PlayedRun,
  order: Extract<Order, { kind: 'spawn' | 'await' | 'report' }>,
) {
  switch (order.kind) {
    case 'spawn': {
      const { title, dependsOn } = order
      const asked = { agent: 'puppet', title, prompt: `Do ${title}`, background: true, dependsOn }
      return callTool('task', asked)
    }
    case 'await':
      return callTool('task_await', { tasks: 'all' })
    case 'report':
      return callTool('agent_report', { title: 'Done', markdown: 'Done.' })
  }
}
