/** Shiplog's counterparts of Claude Code's tools, for its logs: imports read these names, exports write them. */
import type { CallKind } from './agent-records.ts'
import type { ToolName } from './tools.ts'

interface ClaudeCodeTool {
  name: ToolName
  kind: CallKind
  /** From Claude Code's names of input fields to Shiplog's; other fields have the same name. */
  fields: Readonly<Record<string, string>>
}

const task: ClaudeCodeTool = {
  name: 'task',
  kind: 'other',
  fields: { subagent_type: 'agent', description: 'title', run_in_background: 'background' },
}

/** By Claude Code's name. */
export const claudeCodeTools: Readonly<Record<string, ClaudeCodeTool>> = {
  Bash: {
    name: 'bash',
    kind: 'execute',
    fields: { timeout: 'timeoutMs', run_in_background: 'background' },
  },
  Read: {
    name: 'read_file',
    kind: 'read',
    fields: { file_path: 'path', offset: 'fromLine', limit: 'lines' },
  },
  Write: { name: 'write_file', kind: 'edit', fields: { file_path: 'path' } },
  Edit: {
    name: 'edit_file',
    kind: 'edit',
    fields: {
      file_path: 'path',
      old_string: 'oldText',
      new_string: 'newText',
      replace_all: 'replaceAll',
    },
  },
  Glob: { name: 'list_files', kind: 'search', fields: { pattern: 'glob' } },
  Grep: { name: 'search_files', kind: 'search', fields: { '-i': 'ignoreCase' } },
  LS: { name: 'list_files', kind: 'search', fields: {} },
  WebFetch: { name: 'web_fetch', kind: 'fetch', fields: {} },
  Task: task,
  Agent: task,
}
