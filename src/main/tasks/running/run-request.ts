/** The request for a run of a task. */
import type { ImageRef } from '../../../shared/agents/agent-records.ts'
import type { OpenAgent } from '../../../shared/agents/driver/agent-session.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import type { PromptId } from '../../../shared/records/ids.ts'
import type { RunOptions } from '../../runs/run-options.ts'
import type { Semaphore } from '../../runs/semaphore.ts'

export interface RunRequest {
  /** Empty: the agent continues with the earlier prompts. */
  prompt: string
  /** The images of the prompt, in the session's `blobs/`. */
  images?: readonly ImageRef[] | undefined
  reason: RunOptions['reason']
  /** Opens an agent that already runs in its parent's process, which needs no slot. */
  attached?: OpenAgent
  /** The pending follow-up in the ledger that this run answers. */
  promptId?: PromptId | undefined
  /**
   * Called when the task has its slot, before the start of the run is recorded. If it rejects, the run does not
   * start (S5). Resolves with entries that are written with the start of the run (S7).
   */
  prepare?: (signal: AbortSignal) => Promise<EntryBody[]>
  /** Called if the run has to wait for dependencies or a slot. */
  onWaiting?: () => void
  /** An additional limit, shared by the tasks that were resumed together. */
  together?: Semaphore | undefined
}
