import { parseScenario } from '../../../src/main/agents/scripted/parse-scenario.ts'
import { createScriptedProgram } from '../../../src/main/agents/scripted/scripted-program.ts'
import type { AgentEvent } from '../../../src/shared/agents/driver/agent-events.ts'
import type { ToolResult } from '../../../src/shared/agents/driver/tool-result.ts'
import type { Entry, EntryBody } from '../../../src/shared/records/entries.ts'
import type { MessagePart } from '../../../src/shared/records/entry-types/messages.ts'
import {
  newEntryId,
  newTaskId,
  newToolCallId,
  runIdOf,
  type TaskId,
  type ToolCallId,
} from '../../../src/shared/records/ids.ts'
import { historyIn } from '../../runs/past-of.ts'

interface Call {
  name: string
  input: unknown
  callId: ToolCallId | undefined
}

/** Answers calls; throws to cut the run short there, as a crash would. */
export type AnswerCall = (call: Call, count: number) => ToolResult | Promise<ToolResult>

/** A crash: what was under way is not recorded any further. */
export class Crash extends Error {}

/**
 * A task in memory: runs its agent, and records what it does in the entries of a real session, in the
 * same order (a call before its tool runs, its result after, the message at the turn's end).
 */
export interface Stage {
  taskId: TaskId
  entries: Entry[]
  /** The calls of all runs. */
  calls: Call[]
  /** Plays one run to its end or its crash. */
  run(options?: RunOptions): Promise<RunRecord>
}

interface RunOptions {
  prompt?: string
  agent?: string
  answer?: AnswerCall
  signal?: AbortSignal
  onEvent?: (event: AgentEvent) => void
  /** True: the message that was cut short is not in the record, as after a power cut. */
  loseMessage?: boolean
}

interface RunRecord {
  events: AgentEvent[]
  calls: Call[]
  /** The texts of the turns of this run, by turn. */
  turns: string[]
  error: unknown
}

const fine: AnswerCall = ({ name }) => ({
  outcome: 'ok',
  output: `${name} done`,
  ...(name === 'agent_report' && { endsRun: true }),
})

/** `earlier`: a stage whose record is gone on with, by another scenario. */
export function createStage(scenario: string, earlier?: Stage): Stage {
  const program = createScriptedProgram(parseScenario(scenario, 'test.yaml'))
  const taskId = earlier?.taskId ?? newTaskId()
  const entries: Entry[] = earlier?.entries ?? []
  const calls: Call[] = []
  let runs = 0

  function append(body: EntryBody): void {
    const uuid = body.uuid ?? newEntryId()
    const stamp = { v: 1, seq: entries.length + 1, at: 0, parentUuid: null }
    entries.push({ ...body, ...stamp, uuid } as Entry)
  }

  async function run(options: RunOptions = {}): Promise<RunRecord> {
    const { answer = fine, signal = new AbortController().signal, prompt = 'Do it' } = options
    const runId = runIdOf(taskId, ++runs)
    const record: RunRecord = { events: [], calls: [], turns: [], error: null }
    const history = historyIn(structuredClone(entries))
    const common = { cwd: '/work', timestamp: '2026-01-01T00:00:00.000Z', gitBranch: null }
    const message = { type: 'message', sessionId: taskId, runId, ...common } as const
    if (prompt !== '')
      append({
        ...message,
        role: 'user',
        parts: [{ type: 'text', text: prompt }],
        turn: null,
        status: 'complete',
      })
    let current: { uuid: ReturnType<typeof newEntryId>; parts: MessagePart[] } | null = null
    let turn = 0
    const end = (status: 'complete' | 'interrupted') => {
      if (current) append({ ...message, ...current, role: 'assistant', turn, status })
      current = null
    }
    const open = program.agent(options.agent ?? program.rootAgent)
    if (!open) throw new Error(`no agent ${options.agent}`)
    const session = await open({ taskId, cwd: '/work', env: {}, history, resume: null, signal })
    const events = session.run(prompt === '' ? [] : [{ type: 'text', text: prompt }], {
      ask: async () => ({ optionId: null, allowed: false, by: 'nobody' }),
      starting: () => undefined,
      waitToRetry: async () => undefined,
      nextTurn: async () => ({
        messages: [],
        note: null,
        isLast: false,
        fromSeq: 1,
        compact: false,
      }),
      adopt: () => Promise.reject(new Error('not used')),
      messages: async () => [],
      async callTool({ name, input, callId }) {
        if (!current) throw new Error('a call outside of a turn')
        const id = callId ?? newToolCallId()
        const place = { messageUuid: current.uuid, runId, turn, callId: id, name }
        current.parts.push({ type: 'tool-call', callId: id, name })
        append({ type: 'tool-call', ...place, input: input as never })
        const call = { name, input, callId }
        calls.push(call)
        record.calls.push(call)
        const result = await answer(call, calls.length)
        append({
          type: 'tool-result',
          ...place,
          outcome: result.outcome,
          output: result.output,
          durationMs: 1,
        })
        return result
      },
    })
    try {
      for await (const event of events) {
        record.events.push(event)
        switch (event.type) {
          case 'turn-started':
            turn++
            current = { uuid: newEntryId(), parts: [] }
            record.turns.push('')
            break
          case 'part-delta': {
            const type = event.kind
            const parts: MessagePart[] = current?.parts ?? []
            const last = parts.at(-1)
            if (last?.type === type) last.text += event.text
            else parts.push({ type, text: event.text })
            record.turns[record.turns.length - 1] += event.text
            break
          }
          case 'turn-ended':
            end('complete')
            break
          case 'failed':
            append({
              type: 'run-end',
              runId,
              run: runs,
              status: 'failed',
              cause: event.cause,
            })
            break
        }
        options.onEvent?.(event)
      }
    } catch (error) {
      record.error = error
    }
    if (!options.loseMessage) end('interrupted')
    return record
  }

  return { taskId, entries, calls, run }
}

/** A scenario with one agent, from the lines of its turns. */
export const oneAgent = (turns: string): string =>
  `version: 1\nname: n\nagents:\n  lead:\n    turns:\n${turns.replace(/^(?=.)/gm, '      ')}`
