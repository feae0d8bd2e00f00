/** Questions of an agent's own, and how long a user took to answer. */
import { describe, expect, it, vi } from 'vitest'
import { createPermits } from '../../src/main/runs/permissions/permits.ts'
import { createMasker } from '../../src/main/secrets/masker.ts'
import type { PermissionAnswer } from '../../src/shared/agents/agent-records.ts'
import type { PermissionMode } from '../../src/shared/agents/permission-modes.ts'
import type { PermissionOutcome, Verdict } from '../../src/shared/agents/permissions.ts'
import { newTaskId, newToolCallId } from '../../src/shared/records/ids.ts'

const options = [
  { id: 'always', name: 'Always', kind: 'allow-always' as const },
  { id: 'once', name: 'Once', kind: 'allow-once' as const },
  { id: 'no', name: 'No', kind: 'reject-once' as const },
]
const question = { callId: null, question: 'Fetch example.com?', options }

function permitsWith(
  mode: PermissionMode | null,
  outcome: PermissionOutcome,
  secrets = createMasker(),
  isNarrowed = false,
) {
  const recorded: (PermissionAnswer | null)[] = []
  const questions: string[] = []
  const asked: string[] = []
  let nowMs = 0
  const verdict = { kind: 'ask' as const, reasons: [], proposal: [] }
  const action = { kind: 'command' as const, tool: 'bash', text: 'make', directory: '/' }
  const permits = createPermits(
    {
      task: {
        id: newTaskId(),
        agent: 'worker',
        spec: { kind: 'model', provider: 'anthropic', model: 'any', agent: 'worker' },
      },
      permissions: {
        mode,
        isNarrowed: () => isNarrowed,
        check: async ({ input, programPath = '/bin' }) => ({
          verdict: { ...verdict, reasons: [programPath] },
          action: { ...action, text: String(input) },
          folders: [],
        }),
        async ask({ text, reasons }) {
          questions.push(text)
          asked.push(...reasons)
          nowMs += 5_000
          return outcome
        },
      },
      secrets,
      clock: () => nowMs,
    },
    {
      async permission(asked, answer) {
        questions.push(asked.question)
        recorded.push(answer)
      },
    },
  )
  return { permits, recorded, questions, asked }
}

const { signal } = new AbortController()

it.each<[PermissionMode | null, PermissionOutcome, Partial<PermissionAnswer>, number]>([
  [null, { kind: 'nobody' }, { optionId: 'once', allowed: true, by: 'mode' }, 1],
  ['allow-all', { kind: 'nobody' }, { optionId: 'once', allowed: true, by: 'mode' }, 1],
  ['ask', { kind: 'allowed', by: 'person' }, { optionId: 'once', by: 'person' }, 2],
  ['ask', { kind: 'denied', message: 'x' }, { optionId: 'no', allowed: false, message: 'x' }, 2],
  ['allow-edits', { kind: 'nobody' }, { optionId: null, allowed: false, by: 'nobody' }, 2],
  ['ask', { kind: 'ended' }, { optionId: null, allowed: false, by: 'end-of-run' }, 2],
])('[P4] in %s, %j is answered with %j', async (mode, outcome, answer, entries) => {
  const { permits, recorded } = permitsWith(mode, outcome)
  expect(await permits.forwardQuestion(question, '/', signal)).toMatchObject(answer)
  expect(recorded).toHaveLength(entries)
  expect(recorded.at(-1)).toMatchObject(answer)
  if (entries === 2) expect(recorded[0]).toBe(null)
})

it('[P1] in allow-all, asks about what no rule can be compared with, if some rules narrow', async () => {
  const { permits, recorded } = permitsWith('allow-all', { kind: 'nobody' }, createMasker(), true)
  const answer = await permits.forwardQuestion(question, '/', signal)
  expect(answer).toMatchObject({ allowed: false, by: 'nobody' })
  expect(recorded).toHaveLength(2)
})

it('reports how long a user was asked, which does not count as time of the call', async () => {
  const { permits } = permitsWith('ask', { kind: 'allowed', by: 'person' })
  const call = { callId: newToolCallId(), name: 'bash', input: {}, shown: {}, cwd: '/' }
  expect(await permits.permit(call, signal)).toEqual({ refusal: null, waitedMs: 5_000 })
})

it('is decided by the PATH that an earlier command left', async () => {
  const { permits, asked } = permitsWith('ask', { kind: 'allowed', by: 'person' })
  const call = { callId: newToolCallId(), name: 'bash', input: {}, shown: {}, cwd: '/' }
  await permits.permit({ ...call, programPath: '/code/.venv/bin:/bin' }, signal)
  expect(asked).toEqual(['/code/.venv/bin:/bin'])
})

describe('[K3] with secrets, a request', () => {
  const evil = 'sh tools/run.sh; true'
  const command = `login correct-horse-battery && ${evil}`
  const recorded = 'login [hidden: KEY] && [hidden: APP_TOKEN]'
  // A tracked `.env` file may define any text as a secret.
  const shown = `login [hidden: KEY] && ${evil}`
  const ready = () => {
    const secrets = createMasker()
    secrets.learn([
      { name: 'KEY', value: 'correct-horse-battery' },
      { name: 'APP_TOKEN', value: evil, isOfProject: true },
    ])
    return { secrets, ...permitsWith('ask', { kind: 'allowed', by: 'person' }, secrets) }
  }

  it('[P2] is shown with what the project could hide, and recorded without it', async () => {
    const { permits, questions, secrets } = ready()
    const call = { callId: newToolCallId(), name: 'bash', cwd: '/' }
    await permits.permit({ ...call, input: command, shown: secrets.value(command) }, signal)
    expect(questions).toEqual([recorded, shown, recorded])
  })

  it.each([
    ['to run a command', { actions: [{ name: 'bash', input: command }] }],
    ['of another kind', {}],
    ['to use a configuration', { configures: 'Codex' }],
  ])('[P2] of an installed agent %s likewise', async (_, about) => {
    const { permits, questions } = ready()
    await permits.forwardQuestion({ ...question, question: command, ...about }, '/', signal)
    expect(questions).toEqual([recorded, shown, recorded])
  })
})

describe('[P3] a request of an installed agent', () => {
  const asked = async (verdicts: Verdict[], outcome: PermissionOutcome = { kind: 'nobody' }) => {
    const recorded: (PermissionAnswer | null)[] = []
    const { forwardQuestion } = createPermits(
      {
        task: {
          id: newTaskId(),
          agent: 'codex',
          spec: { kind: 'acp', program: 'codex', agent: 'codex' },
        },
        permissions: {
          mode: 'ask',
          isNarrowed: () => false,
          check: async ({ input }) => ({
            verdict: verdicts[Number(input)] ?? { kind: 'allow', by: 'mode' },
            action: { kind: 'command', tool: 'bash', text: 'x', directory: '/' },
            folders: [],
          }),
          ask: async () => outcome,
        },
        secrets: createMasker(),
        clock: Date.now,
      },
      {
        async permission(_, answer) {
          recorded.push(answer)
        },
      },
    )
    const actions = verdicts.map((_, index) => ({ name: 'bash', input: index }))
    const question = { callId: null, question: 'x', options, actions }
    return { answer: await forwardQuestion(question, '/', new AbortController().signal), recorded }
  }
  const ask: Verdict = { kind: 'ask', reasons: ['it writes'], proposal: ['bash: x'] }
  const deny: Verdict = { kind: 'deny', rule: 'bash: x' }
  const allow: Verdict = { kind: 'allow', by: 'rule', rule: 'bash: x' }

  it.each([
    ['a rule allows it', [allow], { allowed: true, by: 'rule', optionId: 'once' }],
    ['a rule forbids a part of it', [ask, deny], { allowed: false, by: 'rule', optionId: 'no' }],
    ['nobody can be asked about a part of it', [allow, ask], { allowed: false, by: 'nobody' }],
  ])('is answered once, where %s', async (_, verdicts, answer) => {
    expect((await asked(verdicts)).answer).toMatchObject(answer)
  })

  it('is asked about, and recorded before that', async () => {
    const { answer, recorded } = await asked([ask], { kind: 'allowed', by: 'person' })
    expect(answer).toMatchObject({ allowed: true, by: 'person', optionId: 'once' })
    expect(recorded).toMatchObject([null, { by: 'person' }])
  })
})

/** An installed agent in /code. `folders`: where its shell may be after `cd sub` and `cd ..`. */
function agentInFolders(verdict: Verdict, ask: () => Promise<PermissionOutcome>) {
  const asked: unknown[] = []
  const after = new Map([
    ['cd sub', ['/code', '/code/sub']],
    ['cd ..', null],
  ])
  const told: (readonly string[])[] = []
  const permits = createPermits(
    {
      task: {
        id: newTaskId(),
        agent: 'claude-code',
        spec: { kind: 'acp', program: 'claude-code', agent: 'claude-code' },
      },
      permissions: {
        mode: 'ask',
        isNarrowed: () => false,
        check: async ({ input, cwd, folders = [] }) => {
          asked.push([cwd, folders])
          const found = after.get(String(input))
          // As the rules do it (`whereElse`), and a rule that forbids what may run elsewhere.
          const elsewhere = folders === null ? ['elsewhere'] : folders.map((one) => `in ${one}`)
          const isForbidden = input === 'rm' && folders === null
          return {
            verdict: isForbidden
              ? { kind: 'deny', rule: 'rm' }
              : verdict.kind === 'ask'
                ? { ...verdict, reasons: elsewhere }
                : verdict,
            action: { kind: 'command', tool: 'bash', text: String(input), directory: cwd },
            folders: found === undefined ? folders : found,
          }
        },
        ask: ({ text, reasons }) => {
          told.push([text, ...reasons])
          return ask()
        },
      },
      secrets: createMasker(),
      clock: Date.now,
    },
    { permission: async () => {} },
  )
  const forward = (input: string, cwd?: string) =>
    permits.forwardQuestion(
      { ...question, actions: [{ name: 'bash', input, ...(cwd !== undefined && { cwd }) }] },
      '/code',
      signal,
    )
  return { asked, told, forward }
}

it('[P1] judges the commands of an agent also in the directories that earlier ones went to', async () => {
  const { asked, forward } = agentInFolders({ kind: 'allow', by: 'mode' }, async () => ({
    kind: 'nobody',
  }))
  await forward('cd sub')
  asked.length = 0
  await forward('echo x >> k')
  await forward('ls', '..')
  expect(asked).toEqual([
    ['/code', ['/code', '/code/sub']],
    ['/', []],
  ])
})

it('[P1] judges them also in those of a command that was allowed while another was asked about', async () => {
  const answers: ((outcome: PermissionOutcome) => void)[] = []
  const { asked, forward } = agentInFolders({ kind: 'ask', reasons: [], proposal: [] }, () => {
    const { promise, resolve } = Promise.withResolvers<PermissionOutcome>()
    answers.push(resolve)
    return promise
  })
  const both = [forward('cd ..'), forward('ls', 'sub')]
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  for (const [at, answer] of answers.entries()) {
    answer({ kind: 'allowed', by: 'person' })
    await both[at]
  }
  asked.length = 0
  void forward('ls')
  await vi.waitFor(() => expect(asked).not.toEqual([]))
  expect(asked[0]).toEqual(['/code', null])
})

describe('[P2] a command that is asked about while another changes the directory', () => {
  function asking() {
    const answers: ((outcome: PermissionOutcome) => void)[] = []
    const agent = agentInFolders({ kind: 'ask', reasons: [], proposal: [] }, () => {
      const { promise, resolve } = Promise.withResolvers<PermissionOutcome>()
      answers.push(resolve)
      return promise
    })
    const allow = (at: number) => answers[at]?.({ kind: 'allowed', by: 'person' })
    const untilAsked = (count: number) =>
      vi.waitFor(() => expect(answers).toHaveLength(count), { timeout: 2_000 })
    return { ...agent, answers, allow, untilAsked }
  }

  it('is asked about again, with the other directory', async () => {
    const { told, forward, answers, allow, untilAsked } = asking()
    const entering = forward('cd sub')
    await untilAsked(1)
    const building = forward('make')
    await untilAsked(2)
    allow(0)
    await entering
    allow(1)
    await untilAsked(3)
    expect(told).toEqual([['cd sub'], ['make'], ['make', 'in /code', 'in /code/sub']])
    answers[2]?.({ kind: 'denied', message: 'Not there.' })
    expect(await building).toMatchObject({ allowed: false, message: 'Not there.' })
  })

  it('is not asked about again where it was told, or after a refusal', async () => {
    const { told, forward, answers, allow, untilAsked } = asking()
    const first = [forward('cd sub'), forward('make'), forward('ls', '/code')]
    await untilAsked(3)
    answers[0]?.({ kind: 'denied', message: '' })
    await first[0]
    allow(1)
    allow(2)
    expect(await first[1]).toMatchObject({ allowed: true })
    expect(await first[2]).toMatchObject({ allowed: true })
    expect(told).toHaveLength(3)
  })

  it('is refused if a rule forbids it there', async () => {
    const { forward, allow, untilAsked } = asking()
    const both = [forward('cd ..'), forward('rm')]
    await untilAsked(2)
    allow(0)
    await both[0]
    allow(1)
    expect(await both[1]).toMatchObject({ allowed: false, by: 'rule', rule: 'rm' })
  })
})

it('[P1] judges a command also in the directory of one that is allowed while it is judged', async () => {
  const { asked, forward } = agentInFolders({ kind: 'allow', by: 'mode' }, async () => ({
    kind: 'nobody',
  }))
  await Promise.all([forward('cd sub'), forward('cat key')])
  expect(asked).toContainEqual(['/code', ['/code', '/code/sub']])
})
