import type { ReactNode } from 'react'
import type { PendingPermission, PermissionDecision } from '../../../shared/agents/permissions.ts'

export interface RequestProps {
  question: PendingPermission
  /** The project of the proposed rule. */
  project: string
  /** The number of requests waiting after this one. */
  more?: number
  busy: boolean
  /** Why no answer can be sent now. */
  unreachable?: string | undefined
  /** The error of the last answer. */
  problem?: ReactNode
  /** The key that sends text, besides Mod+Enter. */
  sendKey?: 'Mod+Enter' | 'Enter'
  /** What was typed for it before. */
  draft?: string
  onDraft?(text: string): void
  onDecide(decision: PermissionDecision): void
}
