import { createStore, type StoreApi } from 'zustand/vanilla'
import type { InstalledAgentState, OwnAgent } from '../../../shared/agents/agent-checks.ts'
import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import type { ProjectId, TaskId } from '../../../shared/records/ids.ts'
import type { ResumeCandidate, ResumeChoice } from '../../../shared/records/resume.ts'

/** The agents to resume: one, those that worked in parallel with it, or all interrupted ones. */
export type ResumeTarget =
  | { of: 'task'; taskId: TaskId }
  | { of: 'group'; taskId: TaskId }
  | { of: 'all' }

/** A new task that continues another one. */
export interface ContinueOptions {
  /** From the end of the turn with that entry; absent: from its end. */
  at?: number | undefined
  /** The agent selected initially, as in `AgentChosen.picked`. */
  agent?: string | undefined
  /** What the user has written to the task that is continued. */
  draft?: string | undefined
}

/** A question before something that can't be undone. */
export interface Confirmation {
  title: string
  /** The label of the button that does it. */
  action: string
  /** For the error: "Could not …". */
  doing: string
  danger?: boolean
  /** The titles of the agents that it is about, if there are several. */
  items?: string[]
  /** What happens, and what is lost. */
  text: string
  /** What stays. */
  kept?: string
  /** The dialog shows its error. */
  run(): Promise<unknown>
}

/** The dialog over the window, which has no address of its own. */
export type Overlay =
  | { kind: 'none' }
  | { kind: 'confirm'; confirmation: Confirmation }
  | { kind: 'add-project' }
  | { kind: 'project-settings'; projectId: ProjectId }
  | { kind: 'remove-project'; projectId: ProjectId }
  /** The key of a provider of models, or a server of the user's own; null for a new one. */
  | { kind: 'provider'; provider: ProviderState | null; onSaved(): void }
  /** A command of the user's own; null: a new one. */
  | { kind: 'own-agent'; agent: OwnAgent | null; onSaved(): void }
  | { kind: 'fetch-agent'; agent: InstalledAgentState; onFetched(): void }
  /** Null: the user chooses the project in the dialog. */
  | {
      kind: 'new-agent'
      projectId: ProjectId | null
      /** The initial prompt. */
      prompt?: string
      /** Called once the agent has started, so that the prompt is no longer needed. */
      onStarted?(): void
    }
  | {
      kind: 'resume'
      target: ResumeTarget
      /** Candidates found before; else the dialog loads them. */
      found?: ResumeCandidate[]
      /** The initial choice for the requested agent. */
      choice?: ResumeChoice
    }
  /** Changes the title of a root. */
  | { kind: 'rename'; taskId: TaskId }
  /** Changes the budget of a root's tree. */
  | { kind: 'budget'; taskId: TaskId }
  /** Exports the transcript of a task as a file. */
  | { kind: 'export'; taskId: TaskId }
  /** A commit message and commands for the changes of a task. `base`: the branch of a pull request. */
  | { kind: 'commit'; taskId: TaskId; base: string | null }
  /** Adds a pull request to its transcript. */
  | { kind: 'link-pull-request'; taskId: TaskId }
  /** A follow-up to a root with interrupted sub-agents: they may be resumed first. */
  | { kind: 'follow-up'; taskId: TaskId; interrupted: number; onSend(): void }
  | ({ kind: 'continue-from'; taskId: TaskId } & ContinueOptions)
  /** Imports sessions of other tools. */
  | { kind: 'import' }
  | { kind: 'palette' }
  | { kind: 'keys' }

export interface OverlayStore {
  store: StoreApi<Overlay>
  /** Replaces an open overlay. */
  show(overlay: Exclude<Overlay, { kind: 'none' }>): void
  hide(): void
  /** Hides that overlay; does nothing if another one is open. */
  hideOnly(overlay: Overlay): void
}

export function createOverlay(): OverlayStore {
  const store = createStore<Overlay>(() => ({ kind: 'none' }))
  return {
    store,
    show: (overlay) => store.setState(overlay, true),
    hide: () => store.setState({ kind: 'none' }, true),
    hideOnly(overlay) {
      if (store.getState() === overlay) store.setState({ kind: 'none' }, true)
    },
  }
}
