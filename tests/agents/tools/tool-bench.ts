import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FilesInside } from '../../../src/main/agents/tools/inside/index.ts'
import type { FilesOfGit } from '../../../src/main/agents/tools/search/project-files.ts'
import { createToolRunner } from '../../../src/main/agents/tools/tool-runner.ts'
import { createGit, shellGitEnvironment } from '../../../src/main/git/index.ts'
import { type Custody, createCustody } from '../../../src/main/processes/custody.ts'
import { agentEnvironment } from '../../../src/main/secrets/agent-environment.ts'
import { createMasker, type LearningMasker } from '../../../src/main/secrets/masker.ts'
import type { PlanItem } from '../../../src/shared/agents/agent-records.ts'
import type { TaskToolsPort } from '../../../src/shared/agents/driver/task-tools-port.ts'
import type { KeptOutput } from '../../../src/shared/agents/driver/tool-context.ts'
import type { ShellState, ToolResult } from '../../../src/shared/agents/driver/tool-result.ts'
import type { ToolDetail, ToolName } from '../../../src/shared/agents/tools.ts'
import {
  newTaskId,
  newToolCallId,
  type TaskId,
  type ToolCallId,
} from '../../../src/shared/records/ids.ts'

interface CallIds {
  taskId: TaskId
  callId: ToolCallId
}

interface Recorded {
  path: string
  before: string | null
  after: string | null
}

/** The tools on a real temporary directory, with a shell that lasts from call to call as in a run. */
export interface ToolBench {
  dir: string
  /** Outside the working directory. */
  outside: string
  /** Holds a folder for each command while it runs. */
  running: string
  custody: Custody
  shell: ShellState
  secrets: LearningMasker
  /** The environment of a shell, made from this process's own. */
  environment(): Record<string, string>
  recorded: Recorded[]
  /** What the file tools did to the record and in which order. */
  order: string[]
  abort: AbortController
  tasks: Partial<TaskToolsPort>
  /** Outputs that are more than the result shows. */
  kept: { sha256: string; bytes: number; leftOutBytes: number; text: string }[]
  /** What the tools said while they ran, piece by piece. */
  printed: string[]
  /** Each plan that was recorded. */
  plans: PlanItem[][]
  keepOriginal(before: Uint8Array | null): Promise<void>
  keepOutput(output: KeptOutput): Promise<void>
  /** `ids`: of the call; new ones without it. */
  call(name: ToolName | string, input?: unknown, ids?: CallIds): Promise<ToolResult>
  close(): Promise<void>
}

export async function openToolBench({
  filesOfGit = (dir, { signal }) => createGit().listFiles(dir, { signal, withDeleted: true }),
  inside,
  ripgrep,
}: {
  filesOfGit?: FilesOfGit
  inside?: FilesInside
  /** The path of another executable; null: as on a platform that has none. */
  ripgrep?: string | null
} = {}): Promise<ToolBench> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'shiplog tools ü-')))
  const dir = join(base, 'work')
  const outside = join(base, 'outside')
  const running = join(base, 'running')
  await mkdir(dir)
  await mkdir(outside)
  const custody = createCustody(running)
  const runTool = createToolRunner({
    custody,
    filesOfGit,
    ...(inside && { inside }),
    ...(ripgrep !== undefined && { ripgrep }),
  })
  const text = (bytes: Uint8Array | null) => (bytes ? Buffer.from(bytes).toString() : null)
  const bench: ToolBench = {
    dir,
    outside,
    running,
    custody,
    shell: { cwd: dir, env: {} },
    secrets: createMasker(),
    environment: () =>
      agentEnvironment(
        process.env,
        { allowed: [], only: null },
        shellGitEnvironment({ ceilings: [base] }),
      ).env,
    recorded: [],
    order: [],
    abort: new AbortController(),
    tasks: {},
    kept: [],
    printed: [],
    plans: [],
    async keepOutput({ file, ...kept }) {
      bench.kept.push({ ...kept, text: await readFile(file, 'utf8') })
    },
    async keepOriginal(before) {
      bench.order.push(`kept ${text(before) ?? 'nothing'}`)
    },
    async call(name, input = {}, ids = { taskId: newTaskId(), callId: newToolCallId() }) {
      const result = await runTool(name as ToolName, input, {
        ...ids,
        workingDir: dir,
        environment: bench.environment(),
        mask: bench.secrets,
        shell: bench.shell,
        signal: bench.abort.signal,
        onOutput: (piece) => bench.printed.push(piece),
        files: {
          keepOriginal: bench.keepOriginal,
          async record({ path, before, after }) {
            bench.order.push(`recorded ${path}`)
            bench.recorded.push({ path, before: text(before), after: text(after) })
          },
        },
        keepOutput: (output) => bench.keepOutput(output),
        recordPlan: async (items) => void bench.plans.push(items),
        askPerson: async () => ({ kind: 'nobody' }),
        tasks: bench.tasks as TaskToolsPort,
      })
      if (result.shell) bench.shell = result.shell
      return result
    },
    close: () => rm(base, { recursive: true, force: true }),
  }
  return bench
}

/** The result's detail, which has to be of this kind. */
export function detailOf<Kind extends ToolDetail['kind']>(
  result: ToolResult,
  kind: Kind,
): Extract<ToolDetail, { kind: Kind }> {
  if (result.detail?.kind !== kind)
    throw new Error(`expected detail ${kind}, got ${JSON.stringify(result)}`)
  return result.detail as Extract<ToolDetail, { kind: Kind }>
}
