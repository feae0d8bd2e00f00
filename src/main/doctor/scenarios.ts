/**
 * Checks the scenarios of scripted agents: each is in its root's directory, named by the SHA-256 of
 * its text.
 */
import { join } from 'node:path'
import { scenarioFile } from '../../shared/agents/agent-specs.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { sha256OfDataFile } from '../journal/index.ts'
import type { Case, Findings } from './finding.ts'
import { isFile } from './on-disk.ts'

/** For each root the tasks of its tree by scenario, one task for each. */
export type ScenariosByRoot = Map<TaskId, Map<string, Task>>

export function scenariosByRoot({ tasks }: LedgerState): ScenariosByRoot {
  const found: ScenariosByRoot = new Map()
  for (const task of tasks.values()) {
    // An imported one is never played here.
    if (task.spec.kind !== 'scripted' || task.imported) continue
    const ofTree = found.get(task.rootId) ?? new Map<string, Task>()
    if (!ofTree.has(task.spec.scenario)) ofTree.set(task.spec.scenario, task)
    found.set(task.rootId, ofTree)
  }
  return found
}

/** `dir` is the root's directory, in `sessions/` or `archive/`. */
export async function* examineScenarios(
  subject: Case,
  dir: string,
  tasks: Iterable<Task>,
): Findings {
  for (const { spec, title, rootId } of tasks) {
    if (spec.kind !== 'scripted') continue
    const path = join(dir, scenarioFile(spec))
    const what = `the scenario of "${title}" (${spec.source})`
    subject.looked()
    if (!(await isFile(path))) {
      const detail = `${what} is gone: a run that plays it is refused`
      yield { kind: 'scenario-missing', path, detail, rootId }
    } else if ((await sha256OfDataFile(path)) !== spec.scenario) {
      const detail = `${what} was changed after it was started: a run that plays it is refused`
      yield { kind: 'scenario-damaged', path, detail, rootId }
    }
  }
}
