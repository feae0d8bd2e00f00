/** What the tools that read the record answer: the same for MCP clients and for agents under Shiplog. */
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
  /** Only what is below that task can be read (A5). */
  scope: Scope
  signal: AbortSignal
}

/** As bounded text. Throws what the contract throws. `input`: as the tool's schema parsed it. */
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
