/** The descriptions of the tools for agents: the purpose, an example, and the input of each. */
import { z } from 'zod'
import {
  isRecordTool,
  type RecordToolName,
  recordToolInputs,
  recordToolTexts,
} from '../../../shared/agents/record-tools.ts'
import { type ToolName, toolInputSchemas, toolNames } from '../../../shared/agents/tools.ts'

interface ToolDefinition {
  description: string
  input: z.ZodObject
}

const schemas = toolInputSchemas

/** Each description has an example, which helps small models more than a rule does. */
const definitions: Record<ToolName, ToolDefinition> = {
  bash: {
    description:
      'Runs a shell command and returns its output. `cd` and exported variables stay in effect for later calls. The command gets no input: nothing can be typed into it. For a server or a long command, set background: true. Example: {"command": "npm test"}',
    input: described(schemas.bash, {
      command: 'The command line.',
      timeoutMs: 'Milliseconds before the command is stopped. Default 120000, at most 600000.',
      background:
        'True: returns at once with an id. The command keeps running until your run ends.',
    }),
  },
  bash_output: {
    description:
      'Returns what a background command has printed since you last looked, and whether it is still running. Example: {"id": "b1", "waitMs": 5000}',
    input: described(schemas.bash_output, {
      id: 'The id that bash returned.',
      waitMs: 'Milliseconds to wait for the command to end. Without it, returns at once.',
    }),
  },
  bash_kill: {
    description: 'Stops a background command and everything that it started. Example: {"id": "b1"}',
    input: described(schemas.bash_kill, { id: 'The id that bash returned.' }),
  },
  read_file: {
    description:
      'Returns the lines of a text file, each with its line number and a tab in front. Of an image (PNG, JPEG, GIF, WebP), returns the image. Example: {"path": "src/main.ts", "fromLine": 1, "lines": 200}',
    input: described(schemas.read_file, {
      path: 'Relative to the working directory.',
      fromLine: 'First line, counted from 1.',
      lines: 'How many lines. Default 2000.',
    }),
  },
  write_file: {
    description:
      'Writes a whole file and replaces what was in it. To change part of a file, use edit_file. Example: {"path": "notes.md", "content": "# Notes\\n"}',
    input: described(schemas.write_file, {
      path: 'Relative to the working directory.',
      content: 'The whole new text of the file.',
    }),
  },
  edit_file: {
    description:
      'Replaces one piece of text in a file. Read the file first. `oldText` must match the file exactly, with its spaces and line breaks, and occur only once. Leave out the line numbers that read_file shows. Example: {"path": "src/main.ts", "oldText": "const port = 80", "newText": "const port = 8080"}',
    input: described(schemas.edit_file, {
      path: 'Relative to the working directory.',
      oldText: 'The text that is there now, with enough lines around it to occur only once.',
      newText: 'The text to put there instead.',
      replaceAll: 'True: replaces every occurrence.',
    }),
  },
  list_files: {
    description:
      'Lists the files of the project, except those that Git ignores. Example: {"glob": "src/**/*.ts"}',
    input: described(schemas.list_files, {
      path: 'A folder, relative to the working directory.',
      glob: 'Only files that match, such as "*.md" or "src/**/*.ts".',
    }),
  },
  search_files: {
    description:
      'Searches the files of the project for lines that match a regular expression. Example: {"pattern": "function parse\\\\w*", "glob": "*.ts"}',
    input: described(schemas.search_files, {
      pattern: 'A regular expression in the syntax of ripgrep, matched within a line.',
      path: 'A folder or a file, relative to the working directory.',
      glob: 'Only files that match.',
      ignoreCase: 'True: upper and lower case are the same.',
    }),
  },
  web_fetch: {
    description:
      'Fetches a web page and returns it as text, HTML as Markdown. Example: {"url": "https://docs.python.org/3/library/json.html"}',
    input: described(schemas.web_fetch, { url: 'The whole address, with https://.' }),
  },
  task: {
    description:
      'Starts a sub-agent and returns its report. It knows only your prompt, and it works in its own copy of the project: call task_apply_patch afterwards to get its changes. Several calls in one turn run at the same time. Example: {"agent": "explore", "title": "Find the parser", "prompt": "Find where dates are parsed. Report files and functions."}',
    input: described(
      schemas.task.pick({
        agent: true,
        title: true,
        prompt: true,
        background: true,
        isolation: true,
        dependsOn: true,
      }),
      {
        agent: 'The name of one of the agents listed above.',
        title: 'A few words, different for each of your sub-agents.',
        prompt: 'Everything that it needs to know, and what to report.',
        background: 'True: returns at once. Call task_await for the report.',
        isolation: '"in-place": it works in your own folder, not in a copy.',
        dependsOn: 'Titles of your sub-agents that must finish before it begins.',
      },
    ),
  },
  task_await: {
    description:
      'Waits for sub-agents and returns their reports. Example: {"tasks": "all"} or {"tasks": ["Find the parser"], "timeout": "5m"}',
    input: described(schemas.task_await, {
      tasks: '"all", or a list of titles or ids.',
      timeout: 'How long to wait at most, such as "30s" or "5m".',
    }),
  },
  task_list: {
    description: 'Lists your sub-agents and the status of each. Example: {}',
    input: schemas.task_list,
  },
  task_stop: {
    description: 'Stops a sub-agent. Example: {"task": "Find the parser"}',
    input: described(schemas.task_stop, { task: 'Its title or id.' }),
  },
  task_apply_patch: {
    description:
      'Applies the changes of a finished sub-agent to your files. If there is a conflict, nothing is changed and the files in conflict are listed. Example: {"task": "Fix the parser"}',
    input: described(schemas.task_apply_patch, { task: 'Its title or id.' }),
  },
  update_plan: {
    description:
      'Shows the user your plan when the work has several steps. Send all items every time, and mark the one that you are working on "in-progress". Example: {"items": [{"text": "Find the parser", "status": "completed"}, {"text": "Add time zones", "status": "in-progress"}]}',
    input: described(schemas.update_plan, {
      items: 'All steps in order; "status" is "pending", "in-progress" or "completed".',
    }),
  },
  ask_person: {
    description:
      'Asks the user one question and waits for the answer. Use it only when you cannot find out yourself and the answer changes what you do. Example: {"question": "Keep the old date format as well?", "choices": ["Yes, both", "Only the new one"]}',
    input: described(schemas.ask_person, {
      question: 'The question, with everything needed to answer it.',
      choices: 'Answers to choose from, your preferred one first. The user can give another.',
    }),
  },
  ...(Object.fromEntries(
    Object.entries(recordToolInputs).map(([name, input]) => [
      name,
      { description: recordToolTexts[name as RecordToolName].description, input },
    ]),
  ) as unknown as Record<RecordToolName, ToolDefinition>),
  agent_report: {
    description:
      'Ends your work and sends your report to the agent or person who gave you the work. Make it your last call, and make it alone. Example: {"title": "Parser fixed", "markdown": "Dates with a zone are parsed now; tests added in …"}',
    input: described(schemas.agent_report.pick({ title: true, markdown: true }), {
      title: 'The outcome in a few words.',
      markdown: 'What you did and found, what you checked, and what is left.',
    }),
  },
}

function described<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  fields: Record<keyof Shape & string, string>,
): z.ZodObject {
  const shape = Object.entries(schema.shape).map(([name, field]) => [
    name,
    (field as z.ZodType).describe(fields[name as keyof Shape & string]),
  ])
  return z.strictObject(Object.fromEntries(shape))
}

/** An agent that another one may start. */
export interface OfferedAgent {
  name: string
  description: string
}

/** Limit of all descriptions of agents together, because every request contains them. */
const agentsCharsMax = 16_000

interface OfferedTool {
  name: ToolName
  description: string
  /** A JSON schema of an object. */
  inputSchema: Record<string, unknown>
}

/** `agents` are those that the agent may start. `readsRecord`: its tree may read the record. */
export const offeredTools = ({
  has,
  agents,
  readsRecord = false,
}: {
  has: (name: ToolName) => boolean
  agents: readonly OfferedAgent[]
  readsRecord?: boolean | undefined
}): OfferedTool[] => {
  const offered = toolNames.filter((name) => has(name) && (readsRecord || !isRecordTool(name)))
  return offered.map((name) => {
    const { description, input } = definitions[name]
    const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
    const whole = name === 'task' ? `${description}\n\n${agentsText(agents)}` : description
    return { name, description: whole, inputSchema }
  })
}

function agentsText(agents: readonly OfferedAgent[]): string {
  const lines = agents.map(({ name, description }) => `- ${name}: ${description}`)
  const whole = ['The agents:', ...lines].join('\n')
  return whole.length <= agentsCharsMax
    ? whole
    : `The agents: ${agents.map(({ name }) => name).join(', ')}`
}
