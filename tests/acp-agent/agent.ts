/**
 * An agent of the Agent Client Protocol that plays a script, on the SDK that real agents use, as a process of its own.
 * It refuses what they refuse: sessions that it does not know, a second prompt during the first, modes that it does not
 * have, images that it can't be shown. `SCRIPTED_ACP` names the folder with `script.json`; it writes what it was sent
 * to `log.jsonl` there, and keeps its sessions in `sessions.json`.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  RequestError,
} from '@agentclientprotocol/sdk/unstable'
import { connectServer, type McpClient, type McpServer } from './mcp-client.ts'
import type { AgentScript, Step } from './script.ts'

const dir = process.env.SCRIPTED_ACP ?? ''
const script = JSON.parse(readFileSync(join(dir, 'script.json'), 'utf8')) as AgentScript
const log = (line: object) => appendFileSync(join(dir, 'log.jsonl'), `${JSON.stringify(line)}\n`)
const storeFile = join(dir, 'sessions.json')
const signInFile = join(dir, 'signed-in')
const stored = (): string[] =>
  existsSync(storeFile) && !script.forgets ? JSON.parse(readFileSync(storeFile, 'utf8')) : []

log({ started: process.pid, env: Object.keys(process.env).sort() })
process.stdin.on('end', () => {
  if (script.logsSent) log({ method: 'end' })
  if (script.staysAtEnd) setInterval(() => {}, 60_000)
  else process.exit(0)
})

const open = new Map<string, { cancelled: PromiseWithResolvers<void> | null; mode: string }>()
let isInitialized = false
let prompts = 0
let isChild = false

const others = new Map<string, PromiseWithResolvers<void>>()
function otherCancelled(sessionId: string): PromiseWithResolvers<void> {
  const other = others.get(sessionId) ?? Promise.withResolvers<void>()
  others.set(sessionId, other)
  return other
}

/** Connects to the servers that a session is given, and lists their tools, as real agents do by themselves. */
const servers = new Map<string, Promise<McpClient>>()
function connectServers(given: readonly unknown[]): void {
  if (script.ignoresMcp) return
  for (const one of given as McpServer[]) {
    const connected = connectServer(one)
    connected.catch((error) => log({ mcpFailed: String(error) }))
    servers.set(one.name, connected)
  }
}

/** What every request goes through. */
async function received(method: string, params: unknown): Promise<void> {
  log({ method, params })
  if (script.diesAt === method) process.exit(7)
  if (script.silentAt === method) await new Promise(() => {})
  if (method !== methods.agent.initialize && !isInitialized)
    throw RequestError.invalidRequest(undefined, 'initialize first')
  if (script.signedOut === method && !existsSync(signInFile))
    throw RequestError.authRequired({ authMethods: [] }, 'sign in')
}

function begin(sessionId: string, cwd: string) {
  if (!isAbsolute(cwd) || !existsSync(cwd)) throw RequestError.invalidParams({ cwd })
  open.set(sessionId, { cancelled: null, mode: script.modes?.currentModeId ?? '' })
  return { modes: script.modes ?? null, configOptions: script.configOptions ?? null }
}

function known(sessionId: string) {
  const session = open.get(sessionId)
  if (!session) throw RequestError.sessionNotFound(sessionId)
  return session
}

const can = (script.capabilities ?? {}) as {
  loadSession?: boolean
  promptCapabilities?: { image?: boolean }
  sessionCapabilities?: { resume?: object }
}

function again(sessionId: string, cwd: string) {
  if (!stored().includes(sessionId)) throw RequestError.sessionNotFound(sessionId)
  return begin(sessionId, cwd)
}

async function play(
  steps: readonly Step[],
  client: AgentContext,
  sessionId: string,
): Promise<object | null> {
  const session = known(sessionId)
  /** Scripts can't know the id of the session: `SELF` stands for it. */
  const withOwnId = (given: object): object =>
    JSON.parse(JSON.stringify(given).replaceAll('"SELF"', JSON.stringify(sessionId)))
  const update = async (given: object, of = sessionId) => {
    await client.notify(methods.client.session.update, { sessionId: of, update: given } as never)
    if (script.logsSent) log({ sent: given })
  }
  for (const step of steps) {
    if ('update' in step) await update(withOwnId(step.update), step.of)
    else if ('ask' in step) {
      const { options = ['allow_once', 'allow_always', 'reject_once'] } = step
      const asked = client.request(methods.client.session.requestPermission, {
        sessionId: step.of ?? sessionId,
        toolCall: step.ask as never,
        options: options.map((kind) => ({
          optionId: `${kind}-id`,
          name: kind,
          kind: kind as never,
        })),
      })
      if (script.logsSent) log({ asks: (step.ask as { toolCallId?: string }).toolCallId })
      const answer = (await asked) as { outcome: { outcome: string; optionId?: string } }
      log({ answered: answer.outcome })
      const isAllowed = answer.outcome.optionId?.startsWith('allow') ?? false
      const end = await play((isAllowed ? step.allowed : step.rejected) ?? [], client, sessionId)
      if (end) return end
    } else if ('end' in step) return step.end
    else if ('error' in step)
      throw new RequestError(step.error.code, step.error.message, step.error.data)
    else if ('untilCancelled' in step) {
      await session.cancelled?.promise
      return { stopReason: 'cancelled' }
    } else if ('mcp' in step) {
      const server = (await servers.get('shiplog')) ?? null
      const { tool: name, input, callId } = step.mcp
      const asked = { name, arguments: input, ...(callId !== undefined && { _meta: { callId } }) }
      log({ mcp: await server?.callTool(asked) })
    } else if ('untilOtherCancelled' in step) {
      await otherCancelled(step.untilOtherCancelled).promise
    } else if ('after' in step) {
      setTimeout(() => void play(step.after, client, sessionId), 50)
    } else if ('never' in step) await new Promise(() => {})
    else if ('exit' in step) {
      // What was sent before has to arrive.
      await new Promise((resolve) => process.stdout.write('', resolve))
      process.exit(step.exit)
    } else if ('stderr' in step) process.stderr.write(step.stderr)
    else if ('line' in step) process.stdout.write(`${step.line}\n`)
    else if ('lineOfBytes' in step) process.stdout.write(`"${'x'.repeat(step.lineOfBytes)}"\n`)
    else if ('flood' in step)
      for (let n = 0; n < step.flood; n++)
        await update({
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: `${n}\n` },
          messageId: 'flood',
        })
    else if ('stream' in step) await stream(step, update)
    else if ('untilFile' in step) {
      log({ waits: step.untilFile })
      while (!existsSync(step.untilFile)) await sleep(20)
    } else if ('leaves' in step) {
      const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
      child.unref()
      log({ left: child.pid })
    } else if ('late' in step) setImmediate(() => void update(step.late, step.of))
  }
  return null
}

/** At an even pace, also where the timer is late. */
async function stream(
  { stream: pieces, everyMs }: Extract<Step, { stream: number }>,
  update: (given: object) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now()
  for (let n = 0; n < pieces; n++) {
    const waitMs = startedAt + n * everyMs - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    await update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `piece ${n} ` },
      messageId: 'stream',
    })
  }
}

agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, async ({ params }) => {
    await received(methods.agent.initialize, params)
    isInitialized = true
    return {
      protocolVersion: 1,
      agentCapabilities: { mcpCapabilities: { http: true }, ...can } as never,
      agentInfo: { name: 'scripted', version: '1.0.0' },
      authMethods: (script.authMethods ?? []) as never,
    }
  })
  .onRequest(methods.agent.authenticate, async ({ params }) => {
    await received(methods.agent.authenticate, params)
    if (params.methodId !== script.authMethods?.[0]?.id)
      throw RequestError.invalidParams({ methodId: params.methodId })
    writeFileSync(signInFile, params.methodId)
    return {}
  })
  .onRequest(methods.agent.session.new, async ({ params }) => {
    await received(methods.agent.session.new, params)
    const sessionId = crypto.randomUUID()
    const answer = begin(sessionId, params.cwd)
    connectServers(params.mcpServers)
    writeFileSync(storeFile, JSON.stringify([...stored(), sessionId]))
    return { sessionId, ...answer } as never
  })
  .onRequest(methods.agent.session.resume, async ({ params }) => {
    await received(methods.agent.session.resume, params)
    if (!can.sessionCapabilities?.resume)
      throw RequestError.methodNotFound(methods.agent.session.resume)
    connectServers(params.mcpServers ?? [])
    return again(params.sessionId, params.cwd) as never
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    await received(methods.agent.session.load, params)
    if (!can.loadSession) throw RequestError.methodNotFound(methods.agent.session.load)
    connectServers(params.mcpServers)
    const answer = again(params.sessionId, params.cwd)
    for (const { of: sessionId = params.sessionId, ...update } of script.replay ?? [])
      await client.notify(methods.client.session.update, { sessionId, update } as never)
    return answer as never
  })
  .onRequest(methods.agent.session.setMode, async ({ params }) => {
    await received(methods.agent.session.setMode, params)
    const session = known(params.sessionId)
    const has = script.modes?.availableModes.some(({ id }) => id === params.modeId)
    if (!has) throw RequestError.invalidParams({ modeId: params.modeId })
    session.mode = params.modeId
    return {}
  })
  .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
    await received(methods.agent.session.setConfigOption, params)
    known(params.sessionId)
    const { configId, value } = params
    const options = (script.configOptions ?? []) as { id: string }[]
    if (!options.some(({ id }) => id === configId)) throw RequestError.invalidParams({ configId })
    return {
      configOptions: options.map((one) =>
        one.id === configId ? { ...one, currentValue: value } : one,
      ),
    } as never
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    await received(methods.agent.session.prompt, params)
    const session = known(params.sessionId)
    if (session.cancelled) throw RequestError.invalidRequest(undefined, 'a prompt is running')
    if (params.prompt.length === 0) throw RequestError.invalidParams({ prompt: 'empty' })
    if (params.prompt.some(({ type }) => type === 'image') && !can.promptCapabilities?.image)
      throw RequestError.invalidParams({ prompt: 'images are not supported' })
    session.cancelled = Promise.withResolvers()
    isChild ||= JSON.stringify(params.prompt).includes('You are a sub-agent')
    const all = (isChild && script.childPrompts) || script.prompts
    const steps = all[Math.min(prompts++, all.length - 1)] ?? []
    try {
      return ((await play(steps, client, params.sessionId)) ?? { stopReason: 'end_turn' }) as never
    } finally {
      session.cancelled = null
    }
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    log({ method: methods.agent.session.cancel, params })
    open.get(params.sessionId)?.cancelled?.resolve()
    otherCancelled(params.sessionId).resolve()
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  )
