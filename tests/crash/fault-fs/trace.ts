/** What is recorded of a file system: every operation that may change it, in the order of their beginnings. */

/** Paths are relative to the recorded directory, `/` as separator; '' is the directory itself. */
export type Operation =
  /** `handle` numbers this opening: later operations name it, whatever becomes of the path. */
  | { kind: 'open'; path: string; handle: number; creates: boolean; truncates: boolean }
  | { kind: 'mkdir'; path: string }
  | { kind: 'symlink'; path: string; target: string }
  | { kind: 'link'; from: string; path: string }
  | { kind: 'rename'; from: string; path: string }
  | { kind: 'unlink'; path: string }
  | { kind: 'rmdir'; path: string }
  | { kind: 'write'; handle: number; at: number; data: Buffer }
  | { kind: 'truncate'; handle: number; size: number }
  | { kind: 'sync'; handle: number }
  /** Somebody was told something: from here on it must survive. */
  | { kind: 'ack'; fact: unknown }

export interface Step {
  operation: Operation
  /** Its place in the trace, from 0. */
  begunAt: number
  /** Length of the trace when it had ended well; null while it is under way. */
  doneAt: number | null
  /** It changed nothing: the system refused it, or a fault was put in its place. */
  failed: boolean
}

/** A file tree: what was on disk before the recording began. */
export type Tree = Map<
  string,
  { kind: 'dir' } | { kind: 'file'; data: Buffer } | { kind: 'link'; target: string }
>

export interface Trace {
  before: Tree
  steps: Step[]
}

export function describeStep({ operation, failed }: Step): string {
  const { kind, ...about } = operation
  const words = Object.entries(about).map(([name, value]) =>
    value instanceof Buffer ? `${value.length} bytes` : `${name}=${JSON.stringify(value)}`,
  )
  return `${kind}${failed ? ' (failed)' : ''} ${words.join(' ')}`
}
