/** Makes the calls of one turn: those that change no files concurrently, others one by one in order. */
import type { AgentHost, HostCall } from '../../../shared/agents/driver/agent-session.ts'
import type { ToolResult } from '../../../shared/agents/driver/tool-result.ts'
import { traitsOf } from '../../../shared/agents/tool-traits.ts'

/**
 * Resolves with the results in the order of `calls`; null for those after one that ended the run. Rejects as
 * `callTool` does, once none of them is running any more.
 */
export async function makeCalls(
  calls: readonly HostCall[],
  callTool: AgentHost['callTool'],
): Promise<(ToolResult | null)[]> {
  const results: (ToolResult | null)[] = []
  for (const group of groupsOf(calls)) {
    const settled = await Promise.allSettled(group.map((call) => callTool(call)))
    for (const one of settled) if (one.status === 'rejected') throw one.reason
    results.push(...settled.map((one) => (one as PromiseFulfilledResult<ToolResult>).value))
    if (results.some((result) => result?.endsRun)) break
  }
  return calls.map((_, index) => results[index] ?? null)
}

function groupsOf(calls: readonly HostCall[]): HostCall[][] {
  const groups: HostCall[][] = []
  let isOpen = false
  for (const call of calls) {
    const isConcurrentCall = isConcurrent(call.name)
    if (isConcurrentCall && isOpen) groups.at(-1)?.push(call)
    else groups.push([call])
    isOpen = isConcurrentCall
  }
  return groups
}

/** False for a report, which ends the run and waits for calls before it. True for an unknown tool, which is refused. */
const isConcurrent = (name: string): boolean =>
  name !== 'agent_report' && (traitsOf(name)?.changes ?? 'no-files') === 'no-files'
