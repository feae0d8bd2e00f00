/** Scripted agents that wait for a gate and then stream at the rate of a real agent. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentScript, ended } from '../../tests/acp-agent/script.ts'

export interface Streaming {
  /** An empty folder. */
  dir: string
  agents: number
  /** The program of the agent. */
  program: string
}

/** The rate of a fast model, for long enough that starting and exiting are small beside it. */
const piecesASecond = 100
const pieces = 1_000

export const agentProgram = resolve(import.meta.dirname, '../../tests/acp-agent/agent.ts')

interface StreamingAgents {
  /** The folder of each agent, passed to it in `SCRIPTED_ACP`. */
  folders: string[]
  /** Resolves once every agent waits at the gate. */
  untilReady(): Promise<void>
  /** Opens the gate; returns the elapsed time and this process's CPU time until `over` resolves. */
  measure(over: () => Promise<unknown>): Promise<{ ms: number; cpuMs: number }>
  /** Throws if an agent process is still running. */
  expectGone(): void
}

export async function prepareAgents({ dir, agents }: Streaming): Promise<StreamingAgents> {
  const gate = join(dir, 'gate')
  const folders = Array.from({ length: agents }, (_, n) => join(dir, `agent-${n}`))
  const script: AgentScript = {
    prompts: [[{ untilFile: gate }, { stream: pieces, everyMs: 1000 / piecesASecond }, ended()]],
  }
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'script.json'), JSON.stringify(script))
  }
  const logOf = (folder: string) => {
    const file = join(folder, 'log.jsonl')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return {
    folders,
    async untilReady() {
      while (!folders.every((folder) => logOf(folder).includes('"waits"'))) await sleep(50)
    },
    async measure(over) {
      const before = process.cpuUsage()
      const startedAt = performance.now()
      await writeFile(gate, '')
      await over()
      const { user, system } = process.cpuUsage(before)
      return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 }
    },
    expectGone() {
      const started = folders.flatMap((folder) =>
        [...logOf(folder).matchAll(/"started":(\d+)/g)].map(([, pid]) => Number(pid)),
      )
      if (started.length !== agents) throw new Error(`not so: ${agents} agents have started`)
      const left = started.filter(isAlive)
      if (left.length > 0) throw new Error(`not so: no process is left, but ${left.join(', ')}`)
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
