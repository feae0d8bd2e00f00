/**
 * Runs every tool: parses the input, calls the tool, and turns errors that the agent can act on into an
 * `error` result.
 */
import type { z } from 'zod'
import type { RunTool, ToolContext } from '../../../shared/agents/driver/tool-context.ts'
import type { ToolResult } from '../../../shared/agents/driver/tool-result.ts'
import {
  isToolName,
  type ToolName,
  toolInputSchemas,
  toolNames,
} from '../../../shared/agents/tools.ts'
import type { Custody } from '../../processes/custody.ts'
import { askPerson } from './ask-person.ts'
import { createEditFile } from './files/edit-file.ts'
import { createReadFile } from './files/read-file.ts'
import { createWriteFile } from './files/write-file.ts'
import { inputProblems } from './input-problems.ts'
import { createFilesInside, type FilesInside } from './inside/index.ts'
import { createRecordTools, type RecordReader } from './record-tools.ts'
import { createListFiles } from './search/list-files.ts'
import type { FilesOfGit } from './search/project-files.ts'
import { createSearchFiles } from './search/search-files.ts'
import { createBackgroundCommands } from './shell/background-commands.ts'
import { createBash } from './shell/bash.ts'
import { agentReport, task, taskApplyPatch, taskAwait, taskList, taskStop } from './task-tools.ts'
import { type Tool, ToolError } from './tool.ts'
import { updatePlan } from './update-plan.ts'
import { createWebFetch } from './web/web-fetch.ts'

type Tools = { [Name in ToolName]: Tool<Name> }

const taskTools = {
  task,
  task_await: taskAwait,
  task_list: taskList,
  task_stop: taskStop,
  task_apply_patch: taskApplyPatch,
  agent_report: agentReport,
}

/**
 * Runs any of the tools. An unknown tool, an invalid input and a failing tool are results with outcome `error`.
 * Throws the signal's reason on abort, and any error that must end the run (the record could not be written).
 */
export function createToolRunner({
  custody,
  filesOfGit,
  dataDir = null,
  inside = createFilesInside({ dataDir }),
  ripgrep,
  record = null,
}: {
  custody: Custody
  filesOfGit: FilesOfGit
  /** The data directory, which the file tools keep out of; null for none. */
  dataDir?: string | null
  inside?: FilesInside
  /** The path of the executable; null for none. Default: the installed one. */
  ripgrep?: string | null
  /** Null if agents can't read the record. */
  record?: RecordReader | null
}): RunTool {
  const background = createBackgroundCommands(custody)
  const tools: Tools = {
    bash: createBash(custody, background),
    bash_output: background.output,
    bash_kill: background.kill,
    read_file: createReadFile(inside),
    write_file: createWriteFile(inside),
    edit_file: createEditFile(inside),
    list_files: createListFiles(inside, filesOfGit),
    search_files: createSearchFiles(inside, filesOfGit, ripgrep),
    web_fetch: createWebFetch(),
    update_plan: updatePlan,
    ask_person: askPerson,
    ...createRecordTools(record),
    ...taskTools,
  }
  return async (name, input, context) => {
    context.signal.throwIfAborted()
    if (!isToolName(name)) return failed(unknownTool(name))
    const parsed = toolInputSchemas[name].safeParse(input)
    if (!parsed.success) return failed(wrongInput(name, input, parsed.error))
    try {
      return await callTool(tools, name, parsed.data, context)
    } catch (error) {
      context.signal.throwIfAborted()
      if (error instanceof ToolError) return failed(error.message)
      throw error
    }
  }
}

function callTool(
  tools: Tools,
  name: ToolName,
  input: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  // The input was parsed with the schema of this tool.
  const tool = tools[name] as (input: unknown, context: ToolContext) => Promise<ToolResult>
  return tool(input, context)
}

const failed = (output: string): ToolResult => ({ outcome: 'error', output })

const unknownTool = (name: string): string =>
  `There is no tool named ${JSON.stringify(name)}. The tools are ${toolNames.join(', ')}.`

function wrongInput(name: ToolName, input: unknown, error: z.ZodError): string {
  const problems = inputProblems(name, input, error).map(
    ({ key, message }) => `- ${key}: ${message}`,
  )
  return [`${name} was not called. Correct its input and call it again:`, ...problems].join('\n')
}
