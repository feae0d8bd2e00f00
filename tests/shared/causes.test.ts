import { describe, expect, it } from 'vitest'
import {
  type Cause,
  causeSchema,
  formatCause,
  isSameCause,
  isStoppedByPerson,
} from '../../src/shared/records/causes.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'

const detail = 'ENOSPC: no space left'
/** One of each kind, and of each way that is worded differently: a new kind has to be added here. */
const all: { [Kind in Cause['kind']]: Extract<Cause, { kind: Kind }>[] } = {
  stopped: [
    { kind: 'stopped', by: 'person' },
    { kind: 'stopped', by: 'parent' },
  ],
  'workspace-removed': [{ kind: 'workspace-removed' }],
  abandoned: [{ kind: 'abandoned' }],
  restarted: [{ kind: 'restarted' }],
  closed: (['quit', 'interrupt', 'terminate', 'hang-up', 'close'] as const).map((how) => ({
    kind: 'closed',
    how,
  })),
  crashed: [{ kind: 'crashed' }],
  'disk-full': [{ kind: 'disk-full', code: 'ENOSPC', detail }],
  'disk-failed': [{ kind: 'disk-failed', code: 'EIO', detail }],
  quota: [
    { kind: 'quota', untilMs: null, detail: '5-hour limit' },
    { kind: 'quota', untilMs: 0, detail: '5-hour limit' },
  ],
  'sign-in': [{ kind: 'sign-in', detail }],
  network: [{ kind: 'network', detail }],
  refused: [{ kind: 'refused', detail }],
  'agent-died': [
    { kind: 'agent-died', exitCode: 3, signal: null, detail: '' },
    { kind: 'agent-died', exitCode: null, signal: 'SIGKILL', detail },
  ],
  'no-report': [{ kind: 'no-report' }],
  'permission-denied': [{ kind: 'permission-denied', detail }],
  'agent-config': (['refused', 'nobody', 'unshowable'] as const).map((why) => ({
    kind: 'agent-config',
    agent: 'Codex',
    why,
    files: ['.codex/config.toml'],
    detail,
  })),
  budget: [{ kind: 'budget', detail }],
  dependencies: [
    { kind: 'dependencies', tasks: [{ taskId: newTaskId(), title: 'A', status: 'failed' }] },
  ],
  'not-started': [
    { kind: 'not-started', step: 'worktree', detail },
    { kind: 'not-started', step: 'run', detail },
  ],
  said: [{ kind: 'said', text: 'I am stuck' }],
  error: [{ kind: 'error', detail }],
}
const causes: Cause[] = Object.values(all).flat()

describe('a cause', () => {
  it('is read back from the record as it was written', () => {
    for (const cause of causes)
      expect(causeSchema.parse(JSON.parse(JSON.stringify(cause)))).toEqual(cause)
  })

  it('has a text of its own in every form, without a full stop', () => {
    for (const form of ['full', 'short', 'clause'] as const) {
      const words = causes.map((cause) => formatCause(cause, { form }))
      for (const text of words) expect(text).toMatch(/[^.\s]$/)
    }
    const details = ['disk-full', 'disk-failed', 'refused', 'error']
    const full = causes.filter(({ kind }) => !details.includes(kind)).map((one) => formatCause(one))
    expect(new Set(full).size).toBe(full.length)
  })

  it('follows the word "Interrupted" without saying it twice', () => {
    const shown = (cause: Cause) => `Interrupted${formatCause(cause, { form: 'clause' })}`
    expect([
      shown({ kind: 'closed', how: 'interrupt' }),
      shown({ kind: 'crashed' }),
      shown({ kind: 'stopped', by: 'person' }),
      shown({ kind: 'disk-full', code: 'ENOSPC', detail }),
    ]).toEqual([
      'Interrupted with Ctrl-C',
      'Interrupted because Shiplog quit',
      'Interrupted because you stopped it',
      'Interrupted: ENOSPC: no space left',
    ])
  })

  it('addresses the user as "you", except to an agent', () => {
    const cause = { kind: 'stopped', by: 'person' } as const
    expect(formatCause(cause)).toBe('stopped by you')
    expect(formatCause(cause, { reader: 'agent' })).toBe('stopped by the user')
  })

  it('is recognized as the user’s own stop by its value', () => {
    expect(causes.filter(isStoppedByPerson)).toEqual([{ kind: 'stopped', by: 'person' }])
    expect(isSameCause({ kind: 'crashed' }, { kind: 'crashed' })).toBe(true)
    expect(isSameCause({ kind: 'crashed' }, { kind: 'no-report' })).toBe(false)
    expect(isSameCause(null, { kind: 'no-report' })).toBe(false)
  })
})
