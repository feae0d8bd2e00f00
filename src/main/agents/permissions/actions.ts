/** The action of a tool call, for the rules and for the question to a user (P2). */
import type { AskedAction, CommandShell } from '../../../shared/agents/permissions.ts'
import { traitsOf } from '../../../shared/agents/tool-traits.ts'
import { isToolName, type ToolInput, toolInputSchemas } from '../../../shared/agents/tools.ts'
import type { PermissionRequest } from './analyze-request.ts'
import type { Place } from './places.ts'
import { onOneLine, signedLines } from './signed-lines.ts'

interface CalledTool {
  name: string
  input: unknown
  /** The shell that reads its command. */
  shell: CommandShell
  /** As in `CommandRequest`. */
  hasSettings: boolean
  /** As in `CommandRequest`. */
  folders: readonly string[] | null
}

/**
 * Returns null if the call needs no decision. `setUp` is the command that a new worktree of the
 * project would run, or null.
 */
export async function actionOf(
  { name, input, shell, hasSettings, folders }: CalledTool,
  place: Place,
  setUp: () => Promise<string | null>,
): Promise<{ request: PermissionRequest; action: AskedAction } | null> {
  // The tool itself refuses an unknown name or an invalid input.
  const decides = traitsOf(name)?.decides ?? 'nothing'
  if (decides === 'nothing' || !isToolName(name)) return null
  if (!toolInputSchemas[name].safeParse(input).success) return null
  switch (decides) {
    case 'command':
      return command(name, (input as ToolInput<'bash'>).command, place, {
        inBackground: (input as ToolInput<'bash'>).background === true,
        shell,
        hasSettings,
        folders,
      })
    case 'set-up': {
      if ((input as ToolInput<'task'>).isolation === 'in-place') return null
      const setup = await setUp()
      // The command runs in the new worktree, whose path is not known yet; its relative paths are
      // those of this one.
      return setup === null
        ? null
        : command(
            name,
            setup,
            { ...place, cwd: place.workingDir },
            {
              inBackground: false,
              // The shell of the system runs it.
              shell: 'unknown',
              folders: [],
            },
          )
    }
    case 'edit':
      return edit(name, input as ToolInput<'write_file'> | ToolInput<'edit_file'>, place)
    case 'call':
      return call(name, input as Record<string, unknown>, place)
  }
}

function command(
  tool: string,
  text: string,
  place: Place,
  {
    inBackground,
    ...shell
  }: Pick<PermissionRequest & { kind: 'command' }, 'shell' | 'hasSettings' | 'folders'> & {
    inBackground: boolean
  },
) {
  const request: PermissionRequest = { kind: 'command', command: text, place, ...shell }
  const action = { kind: 'command', tool, text, directory: place.cwd } as const
  return { request, action: inBackground ? { ...action, inBackground } : action }
}

function edit(
  tool: string,
  input: ToolInput<'write_file'> | ToolInput<'edit_file'>,
  { workingDir, apart }: Place,
) {
  // File tools resolve paths from the working directory, not from that of the shell.
  const place = { workingDir, cwd: workingDir, apart }
  const path = onOneLine(input.path)
  const text =
    'content' in input
      ? [`Write ${path}:`, ...signedLines('+', input.content)].join('\n')
      : [
          `Change ${path}${input.replaceAll ? ', everywhere in it' : ''}:`,
          ...signedLines('-', input.oldText),
          ...signedLines('+', input.newText),
        ].join('\n')
  const request: PermissionRequest = { kind: 'edit', path: input.path, place }
  return { request, action: { kind: 'edit', tool, text, directory: workingDir } as const }
}

function call(tool: string, input: Record<string, unknown>, { workingDir }: Place) {
  const [field = ''] = traitsOf(tool)?.subject ?? []
  const given = typeof input[field] === 'string' ? input[field] : ''
  const subject = field === 'url' ? addressOf(given) : given
  const request: PermissionRequest = { kind: 'other', tool, subject, given }
  const text = `${tool} ${JSON.stringify(input, null, 2)}`
  return { request, action: { kind: 'other', tool, text, directory: workingDir } as const }
}

/** The normalized address: in lower case, without `..`. Null if it is not one. */
const addressOf = (text: string): string | null => (URL.canParse(text) ? new URL(text).href : null)
