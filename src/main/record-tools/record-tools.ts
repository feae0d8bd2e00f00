/** Dispatches the tools that read the log, for both MCP clients and agents run by Shiplog. */
import type { RecordToolInput, RecordToolName } from '../../shared/agents/record-tools.ts'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import {
  entryJson,
  failedCalls,
  failedTasks,
  filesTouched,
  reportText,
  type Scope,
  searchText,
  tasksThatTouched,
  transcriptText,
} from './answers.ts'

interface Asking {
  client: ShiplogClient
  /** Limits reading to the descendants of that task (A5). */
  scope: Scope
  signal: AbortSignal
}

/** Returns bounded text. Rejects with the contract's errors. `input`: parsed by the tool's schema. */
export function recordAnswer<Name extends RecordToolName>(
  name: Name,
  input: RecordToolInput<Name>,
  asking: Asking,
): Promise<string> {
  const answer = answers[name] as (input: RecordToolInput<Name>, asking: Asking) => Promise<string>
  return answer(input, asking)
}

const answers: {
  [Name in RecordToolName]: (input: RecordToolInput<Name>, asking: Asking) => Promise<string>
} = {
  search_record: ({ query, is_regex, limit }, { client, scope, signal }) =>
    searchText(client, { query, isPattern: is_regex, limit, scope }, signal),
  read_transcript: (input, { client, scope, signal }) =>
    transcriptText(client, { ...input, scope }, signal),
  read_entry: (input, { client, scope, signal }) => entryJson(client, { ...input, scope }, signal),
  read_report: (input, { client, scope, signal }) =>
    reportText(client, { ...input, scope }, signal),
  list_failures: ({ task, limit }, { client, scope, signal }) =>
    task === undefined
      ? failedTasks(client, { limit, scope })
      : failedCalls(client, { task, limit, scope }, signal),
  files_touched: ({ task, path = '', limit }, { client, scope, signal }) =>
    task === undefined
      ? tasksThatTouched(client, { path, limit, scope }, signal)
      : filesTouched(client, { task, limit, scope }, signal),
}
