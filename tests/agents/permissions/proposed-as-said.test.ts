/** A proposed rule is about the request that it was proposed for, and about no other, whatever its names are. */
import { describe, expect, it } from 'vitest'
import {
  type AnalyzedRequest,
  analyzeRequest,
  type PermissionRequest,
} from '../../../src/main/agents/permissions/analyze-request.ts'
import { decideOn } from '../../../src/main/agents/permissions/decide.ts'
import type { PolicyLayer } from '../../../src/main/agents/permissions/policy.ts'
import {
  type PermissionRule,
  permissionDecisionSchema,
} from '../../../src/shared/agents/permissions.ts'
import { temporaryDir } from '../../harness.ts'
import { casesOf } from '../../soak.ts'

const names = [
  ...['a', 'b', 'ab', 'a b', 'a  b', ' a', 'a ', 'a\tb', 'a\nb', 'a\rb', 'a\u0085b', 'a\u2028b'],
  ...['a\u00a0b', 'a\u3000b', '\u202ea', 'a\u200bb', '\ufeffa', 'a\ue000b', 'a.b', '.a', 'a.'],
  ...['*', '?', 'a*', 'a?', '[a]', '[ab]', 'a[*]b', '**', '{a,b}', '{1..3}', '{a}', '!a', '#a'],
  ...[
    '!(a)',
    '+(a)',
    '@(a|b)',
    '?(a)',
    '*(a)',
    'a!(b)',
    '(a)',
    'a:b',
    ': a',
    'bash: *',
    'edit: **',
  ],
  ...['"a"', "'a'", "a'b", '\\a', 'a\\b', 'a\\', '$a', '$(a)', '`a`', '~', '~a', '-a', 'A=b', 'if'],
  ...['time', '!', '{', '}', '[[', 'a;b', 'a&b', 'a|b', 'a>b', 'é', 'e\u0301', 'a'.repeat(2_100)],
]

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

interface Asked {
  about: string
  request: AnalyzedRequest
}

async function requests(): Promise<Record<'files' | 'commands', Asked[]>> {
  const dir = await temporaryDir()
  const place = { workingDir: dir, cwd: dir }
  const of = (request: PermissionRequest): AnalyzedRequest => analyzeRequest(request)
  const command = (text: string) => of({ kind: 'command', command: text, place })
  const files = names
    .flatMap((name) => [name, `src/${name}`, `${name}/a`, `src/${name}.ts`])
    .flatMap((path): Asked[] => [
      { about: path, request: of({ kind: 'edit', path, place }) },
      { about: path, request: command(`echo x > ${quoted(path)}`) },
    ])
  const commands = names
    .flatMap((name) => [
      [name, 'x'],
      ['tool', name],
      ['tool', name, 'y'],
      ['rm', '-r', name],
    ])
    .map((argv) => ({ about: argv.join('\0'), request: command(argv.map(quoted).join(' ')) }))
  return { files, commands }
}

const verdictOf = (rules: PermissionRule[], { request }: Asked, others: PolicyLayer[] = []) =>
  decideOn([{ mode: 'ask', rules }, ...others], request)

/** As the answer of a user arrives, is stored and is read again. */
function remembered(proposal: string[]): PermissionRule[] {
  const decision = { kind: 'allow-always', rules: proposal, scope: 'project' }
  const { rules } = permissionDecisionSchema.parse(JSON.parse(JSON.stringify(decision))) as {
    rules: string[]
  }
  return rules.map((rule) => ({ effect: 'allow', rule }))
}

describe.each(casesOf(['files', 'commands'] as const, (kind) => kind === 'commands'))(
  'of %s',
  (kind) => {
    it('covers what it was proposed for, and nothing else', async () => {
      const { [kind]: all } = await requests()
      const open = all.filter((one) => verdictOf([], one).kind === 'ask')
      const faults: string[] = []
      let proposed = 0
      const tried = new Set<string>()
      for (const one of open) {
        const verdict = verdictOf([], one)
        if (verdict.kind !== 'ask' || verdict.proposal.length === 0) continue
        proposed++
        const rules = remembered(verdict.proposal)
        const said = `${JSON.stringify(one.about)} → ${verdict.proposal}`
        if (verdictOf(rules, one).kind !== 'allow') faults.push(`${said} does not allow it`)
        // A star is about arguments of a known program; `covered.test.ts` has them.
        if (tried.has(said)) continue
        tried.add(said)
        for (const other of open.filter(({ about }) => about !== one.about))
          if (verdictOf(rules, other).kind !== 'ask')
            faults.push(`${said} also allows ${JSON.stringify(other.about)}`)
      }
      expect(proposed).toBeGreaterThan(100)
      expect(faults).toEqual([])
    })
  },
)

it('is not proposed where a repository asks whatever the rules say', async () => {
  const { commands } = await requests()
  const [one] = commands
  if (!one) throw new Error('there is none')
  expect(verdictOf([], one, [{ mode: 'ask', rules: [] }])).toMatchObject({
    kind: 'ask',
    proposal: [],
  })
})
