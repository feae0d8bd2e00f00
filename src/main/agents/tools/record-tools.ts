/** The tools with which an agent reads the record of its sub-agents, if its tree may (`readsRecord`). */
import {
  isRecordTool,
  type RecordToolInput,
  type RecordToolName,
  recordToolInputs,
} from '../../../shared/agents/record-tools.ts'
import { untilAborted } from '../../../shared/async/until-aborted.ts'
import { messageOf } from '../../../shared/error-message.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Tool, ToolError } from './tool.ts'

export interface RecordReader {
  /** Reports whether the tree of a task may read the record. */
  isOffered(taskId: TaskId): boolean
  /** Resolves with text about the task's descendants only (A5). Rejects with an Error whose message is for the agent. */
  answer<Name extends RecordToolName>(
    name: Name,
    input: RecordToolInput<Name>,
    caller: { taskId: TaskId; signal: AbortSignal },
  ): Promise<string>
}

type RecordTools = { [Name in RecordToolName]: Tool<Name> }

export function createRecordTools(reader: RecordReader | null): RecordTools {
  const tool =
    <Name extends RecordToolName>(name: Name): Tool<Name> =>
    async (input, { taskId, signal }) => {
      if (!reader?.isOffered(taskId))
        throw new ToolError(
          'Agents of this tree may not read the record. The user can allow it when a tree is started.',
        )
      try {
        // Parsed by the schema of this very tool.
        const parsed = input as RecordToolInput<Name>
        const output = await untilAborted(reader.answer(name, parsed, { taskId, signal }), signal)
        return { outcome: 'ok', output }
      } catch (error) {
        signal.throwIfAborted()
        throw new ToolError(messageOf(error), error)
      }
    }
  const names = Object.keys(recordToolInputs).filter(isRecordTool)
  return Object.fromEntries(names.map((name) => [name, tool(name)])) as unknown as RecordTools
}
