import { join } from 'node:path'
import { z } from 'zod'
import type { AgentProgram } from '../../shared/agent.ts'
import type { TaskId } from '../../shared/ids.ts'
import { type AgentKind, agentKindSchema } from '../../shared/tasks.ts'
import { makeDirDurable, readDataFile, readJsonFile, writeFileDurable } from '../journal/index.ts'
import type { AgentKinds } from './agent-kinds.ts'

const describeFile = 'program.json'
const sourceFile = 'scenario.yaml'
const describeSchema = z.object({ version: z.literal(1), kind: agentKindSchema, name: z.string() })

export interface ProgramSource {
  kind: AgentKind
  text: string
  /** For messages: where the text came from. */
  name: string
}

export interface Programs {
  /** Checks a source without keeping it. Throws what is wrong with it. */
  check(source: ProgramSource): AgentProgram
  /** Durable when it resolves. */
  save(rootId: TaskId, sessionDir: string, source: ProgramSource): Promise<AgentProgram>
  /** The program of a tree, read back when this process did not save it. */
  of(rootId: TaskId, sessionDir: string): Promise<AgentProgram>
  /** What a session directory keeps of a tree's program. Throws an Error that says what is missing. */
  sourceIn(sessionDir: string): Promise<ProgramSource>
}

export function createPrograms(kinds: AgentKinds): Programs {
  const loaded = new Map<TaskId, AgentProgram>()
  const check = (source: ProgramSource) => kinds.load(source.kind, source)

  async function sourceIn(sessionDir: string): Promise<ProgramSource> {
    const described = await readJsonFile(join(sessionDir, describeFile), describeSchema)
    if (described.kind !== 'ok')
      throw new Error(`${describeFile} in ${sessionDir} is ${described.kind}`)
    const text = (await readDataFile(join(sessionDir, sourceFile))).toString('utf8')
    return { kind: described.value.kind, name: described.value.name, text }
  }

  return {
    check,
    sourceIn,
    async save(rootId, sessionDir, source) {
      const program = check(source)
      const described = { version: 1, kind: source.kind, name: source.name }
      await makeDirDurable(sessionDir)
      await writeFileDurable(join(sessionDir, sourceFile), source.text)
      await writeFileDurable(join(sessionDir, describeFile), `${JSON.stringify(described)}\n`)
      loaded.set(rootId, program)
      return program
    },
    async of(rootId, sessionDir) {
      const known = loaded.get(rootId)
      if (known) return known
      const program = check(await sourceIn(sessionDir))
      loaded.set(rootId, program)
      return program
    },
  }
}
