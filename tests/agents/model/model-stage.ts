/** Runs of a model on a session of its own: the real packages of the providers, aimed at a fake of their services. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { StreamTimeouts } from '../../../src/main/agents/model/answer.ts'
import { type ContextWindow, unknownWindow } from '../../../src/main/agents/model/context-window.ts'
import { createModelDriver } from '../../../src/main/agents/model/driver.ts'
import type { RunOptions } from '../../../src/main/runs/run-options.ts'
import { createMasker } from '../../../src/main/secrets/masker.ts'
import type { OpenAgent } from '../../../src/shared/agents/driver/agent-session.ts'
import type { ToolResult } from '../../../src/shared/agents/driver/tool-result.ts'
import type { ModelProvider } from '../../../src/shared/agents/model-refs.ts'
import type { Entry, EntryBody } from '../../../src/shared/records/entries.ts'
import type { MessageEntry } from '../../../src/shared/records/entry-types/messages.ts'
import {
  type FakeModels,
  type FakeModelsOptions,
  startFakeModels,
} from '../../fake-models/fake-models.ts'
import type { Wire } from '../../fake-models/models.ts'
import { usualModels } from '../../fake-models/provider-models.ts'
import { promptOf, stage } from '../../runs/run-stage.ts'

export const wires: Wire[] = ['anthropic', 'responses', 'chat', 'google']

export const providerOf: Record<Wire, ModelProvider> = {
  anthropic: 'anthropic',
  responses: 'openai',
  chat: 'openai-compatible',
  google: 'google',
}

/** What is sent to servers that are not the provider's own. */
const noKey = 'no-key'

export async function fakeModels(options: Omit<FakeModelsOptions, 'key'>): Promise<FakeModels> {
  const fake = await startFakeModels({ ...options, key: noKey })
  onTestFinished(() => fake.stop())
  return fake
}

export type MadeCall = { name: string; input: unknown; callId: string }

/** `runs`: each takes the session on as the one before left it. */
export async function modelStage({
  fake,
  wire = 'anthropic',
  model = usualModels[wire].id,
  isRoot = true,
  before = [],
  timeouts,
  stepsMax,
  contextTokens,
  contextWindow = async () => unknownWindow,
  lead,
  answer = () => 'done',
}: {
  fake: FakeModels
  wire?: Wire
  model?: string
  isRoot?: boolean
  before?: EntryBody[]
  timeouts?: StreamTimeouts
  stepsMax?: number
  /** At which a conversation is summarised. */
  contextTokens?: number
  contextWindow?: () => Promise<ContextWindow>
  /** The text of the definition that it goes by; absent: the built-in one. */
  lead?: string
  /** The result of each call: its output, or the whole result. */
  answer?: (call: MadeCall) => string | ToolResult | Promise<string | ToolResult>
}) {
  const staged = await stage({ before, ...(isRoot && { parentId: null }) })
  const calls: MadeCall[] = []
  const notices: string[] = []
  const driver = createModelDriver({
    access: { keys: { get: async () => null }, contextWindow },
    facts: async () => ({ branch: 'main', isClean: true, files: [], topLevel: null }),
    mask: createMasker(),
    onNotice: (text) => notices.push(text),
    delayFactor: 0.001,
    timeouts,
    stepsMax,
    contextTokens,
  })
  const opening =
    (of: Wire, id: string): OpenAgent =>
    async (place) => {
      const choice = {
        kind: 'model' as const,
        model: `${providerOf[of]}/${id}`,
        baseUrl: fake.baseURLs[of],
      }
      if (lead !== undefined) {
        await mkdir(join(place.cwd, '.shiplog/agents'), { recursive: true })
        await writeFile(join(place.cwd, '.shiplog/agents/lead.md'), lead)
      }
      const { spec, files } = await driver.prepare(choice, place.cwd)
      return driver.open(spec, place, {
        read: async (name) => files.find((file) => file.name === name)?.text ?? '',
      })
    }
  let count = 0
  const run = (
    prompt: string,
    over: Partial<RunOptions> & { wire?: Wire; model?: string } = {},
  ) => {
    count++
    const of = over.wire ?? wire
    return staged.play(() => (async function* () {})(), {
      prompt: promptOf(prompt),
      run: count,
      reason: prompt === '' ? 'resume' : 'prompt',
      openAgent: opening(of, over.model ?? (over.wire ? usualModels[of].id : model)),
      runTool: async (name, input, context) => {
        const call = { name, input, callId: context.callId }
        calls.push(call)
        context.signal.throwIfAborted()
        const given = await answer(call)
        return typeof given === 'string'
          ? { outcome: 'ok', output: given, endsRun: name === 'agent_report' }
          : given
      },
      ...over,
    })
  }
  return { ...staged, run, calls, notices }
}

/** One line an entry of the conversation. */
export function told(entries: Entry[]): string[] {
  return entries.flatMap((entry): string[] => {
    if (entry.type === 'message') return [`${entry.role} ${entry.status}: ${wordsOf(entry)}`]
    if (entry.type === 'tool-call') return [`call ${entry.name}`]
    if (entry.type === 'tool-result') return [`${entry.outcome}: ${entry.output}`]
    if (entry.type === 'compaction') return ['compaction']
    if (entry.type === 'retrying') return [`retrying ${entry.cause.kind}`]
    if (entry.type === 'run-end') return [`end ${entry.status} ${entry.cause?.kind ?? ''}`.trim()]
    return []
  })
}

const wordsOf = ({ parts }: MessageEntry): string =>
  parts
    .map((part) => {
      if (part.type === 'tool-call') return `[${part.name}]`
      return part.type === 'reasoning'
        ? `(${part.text})`
        : part.type === 'text'
          ? part.text
          : 'image'
    })
    .join(' ')

/** Resolves once the message in progress has some text. */
export async function breaking(session: { readonly partial: { parts: unknown[] } | null }) {
  await expect
    .poll(() => JSON.stringify(session.partial?.parts ?? []), { interval: 2, timeout: 60_000 })
    .toContain('"text":"H')
}
