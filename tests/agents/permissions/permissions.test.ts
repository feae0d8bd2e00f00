/** Which permissions a run has: of the tasks above it, the project, the settings, and a file that can't be read. */
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createPermissions } from '../../../src/main/agents/permissions/permissions.ts'
import { openPermissionStore } from '../../../src/main/agents/permissions/store.ts'
import { isWiderMode, type PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import {
  noPermissionSettings,
  type PermissionRule,
  type PermissionScope,
  rulesMax,
} from '../../../src/shared/agents/permissions.ts'
import { newProjectId, newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import type { Project } from '../../../src/shared/records/projects/projects.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { temporaryDir } from '../../harness.ts'
import fc from '../../random.ts'

const projectId = newProjectId()
const modes: PermissionMode[] = ['ask', 'allow-edits', 'allow-all']

async function openPermissions(file?: string) {
  const dir = await temporaryDir()
  const path = join(dir, 'permissions.json')
  if (file !== undefined) await writeFile(path, file)
  const project = { id: projectId, dir } as Project
  const tasks = new Map<TaskId, Task>()
  const warnings: string[] = []
  const permissions = createPermissions({
    store: await openPermissionStore(path),
    clock: () => 0,
    canAsk: () => false,
    taskOf: (id) => tasks.get(id),
    projectOf: () => project,
    setUpOf: async () => null,
    shell: async () => 'bash',
    dataDir: join(dir, 'data'),
    onWarning: (text) => warnings.push(text),
  })
  const task = (parentId: TaskId | null, mode: PermissionMode | null, kind: string): Task => {
    const id = newTaskId()
    const options = { ...(mode && { permissions: mode }) }
    const made = { id, parentId, projectId, projectDir: dir, options, spec: { kind } }
    tasks.set(id, made as unknown as Task)
    return made as unknown as Task
  }
  const forRun = (one: Task) =>
    permissions.forRun(one, { workingDir: dir, whileAsked: (work) => work() })
  return { permissions, project, task, forRun, warnings, dir }
}

const allow = (rule: string): PermissionRule => ({ effect: 'allow', rule })
const fetching = (url: string) => ({ name: 'web_fetch', input: { url }, cwd: '/' })
const bash = (command: string, cwd = '/') => ({ name: 'bash', input: { command }, cwd })

it('[P1] a sub-agent never has more permissions than its ancestors', async () => {
  const { task, forRun } = await openPermissions()
  const given = fc.record({
    mode: fc.option(fc.constantFrom(...modes)),
    kind: fc.constantFrom('scripted', 'model'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(given, { minLength: 2, maxLength: 5 }), async (chain) => {
      let parent: Task | null = null
      let above: PermissionMode | null = null
      for (const { mode, kind } of chain) {
        const one = task(parent?.id ?? null, mode, kind)
        const has = (await forRun(one)).mode
        // Null is the user's own script: only below others of it.
        if (above !== null) expect(has !== null && !isWiderMode(has, above)).toBe(true)
        if (mode !== null) expect(has !== null && !isWiderMode(has, mode)).toBe(true)
        above = has
        parent = one
      }
    }),
  )
})

it('[P1] the mode is that of the run, otherwise of the project, of the settings, or ask', async () => {
  const { permissions, task, forRun } = await openPermissions()
  const modeOf = async (mode: PermissionMode | null, kind = 'model') =>
    (await forRun(task(null, mode, kind))).mode
  expect(await modeOf(null)).toBe('ask')
  await permissions.setSettings({ kind: 'everywhere' }, { mode: 'allow-all', rules: [] })
  expect(await modeOf(null)).toBe('allow-all')
  await permissions.setSettings({ kind: 'project', projectId }, { mode: 'allow-edits', rules: [] })
  expect(await modeOf(null)).toBe('allow-edits')
  expect(await modeOf('ask')).toBe('ask')
  expect(await modeOf(null, 'scripted')).toBe(null)
})

it('permissions for one folder do not apply to another one, but restrictions do', async () => {
  const { permissions, project, task, forRun, dir } = await openPermissions()
  const rules: PermissionRule[] = [allow('bash: make a'), { effect: 'deny', rule: 'bash: make b' }]
  await permissions.setSettings({ kind: 'project', projectId }, { mode: 'allow-all', rules })
  const verdicts = async () => {
    const { mode, check } = await forRun(task(null, 'ask', 'model'))
    const kinds = ['make a', 'make b'].map(
      async (one) => (await check(bash(one, dir)))?.verdict.kind,
    )
    return [mode, permissions.modeOf(projectId), ...(await Promise.all(kinds))]
  }
  expect(await verdicts()).toEqual(['ask', 'allow-all', 'allow', 'deny'])
  project.dir = '/elsewhere'
  expect(await verdicts()).toEqual(['ask', 'ask', 'ask', 'deny'])
})

it('[P2] says where else a command of an installed agent may run, after earlier ones', async () => {
  const { task, forRun, dir } = await openPermissions()
  const { check } = await forRun(task(null, null, 'model'))
  const reasonsIn = async (folders: string[] | null, command = 'make') => {
    const verdict = (await check({ ...bash(command, dir), folders }))?.verdict
    return verdict?.kind === 'ask' ? verdict.reasons.slice(1) : verdict?.kind
  }
  const sentence = (where: string) => [
    `It may run in ${where}: an earlier command may have left it there.`,
  ]
  expect(await reasonsIn([])).toEqual([])
  expect(await reasonsIn([dir])).toEqual([])
  expect(await reasonsIn([dir, join(dir, 'a b'), join(dir, 'sub')])).toEqual(
    sentence('“a b” or sub'),
  )
  expect(await reasonsIn('bcde'.split('').map((one) => join(dir, one)))).toEqual(
    sentence('one of 4 other folders'),
  )
  expect((await reasonsIn(null))?.at(-1)).toEqual(sentence('another folder')[0])
  expect(await reasonsIn([join(dir, 'sub')], 'echo a')).toBe('allow')
})

it('[P3] asks about a missing folder in the shell of an installed agent, where `cd` may be a function of the user', async () => {
  const { task, forRun, dir } = await openPermissions()
  const { check } = await forRun(task(null, null, 'model'))
  await mkdir(join(dir, 'src'))
  const kind = async (command: string, shell?: 'bash') =>
    (await check({ ...bash(command, dir), ...(shell && { shell }) }))?.verdict.kind
  expect(await kind('cd other && cat .env', 'bash')).toBe('ask')
  expect(await kind('cd src && cat .env', 'bash')).toBe('allow')
  expect(await kind('cd other && cat .env')).toBe('allow')
})

it('[S6] a run uses the settings of its start, and rules added while it runs', async () => {
  const { permissions, task, forRun, dir } = await openPermissions()
  const one = task(null, null, 'model')
  const before = await forRun(one)
  await permissions.setSettings(
    { kind: 'everywhere' },
    { mode: 'allow-all', rules: [allow('bash: make *')] },
  )
  expect(before.mode).toBe('ask')
  expect((await before.check(bash('make a', dir)))?.verdict).toMatchObject({
    kind: 'allow',
    by: 'rule',
  })
  expect((await forRun(one)).mode).toBe('allow-all')
})

it('[P1] is narrowed by a rule that asks or denies, and by the repository’s file', async () => {
  const { permissions, task, forRun, dir } = await openPermissions()
  const isNarrowed = async () => (await forRun(task(null, 'allow-all', 'model'))).isNarrowed()
  const everywhere = { kind: 'everywhere' } as const
  await permissions.setSettings(everywhere, { mode: null, rules: [allow('bash: make a')] })
  expect(await isNarrowed()).toBe(false)
  await permissions.setSettings(everywhere, {
    mode: null,
    rules: [{ effect: 'deny', rule: 'bash: git push *' }],
  })
  expect(await isNarrowed()).toBe(true)
  await permissions.setSettings(everywhere, { mode: null, rules: [] })
  expect(await isNarrowed()).toBe(false)
  await mkdir(join(dir, '.shiplog'))
  await writeFile(join(dir, '.shiplog/permissions.json'), '{ "mode": "ask" }')
  expect(await isNarrowed()).toBe(true)
})

it('refuses an invalid rule, and keeps the settings', async () => {
  const { permissions } = await openPermissions()
  const everywhere = { kind: 'everywhere' } as const
  await permissions.setSettings(everywhere, { mode: null, rules: [allow('bash: make *')] })
  for (const rule of ['Make it', 'bash:', 'bash: a; b', 'bash: $X', 'bash: a > b', 'edit: ../x'])
    await expect(
      permissions.setSettings(everywhere, { mode: 'allow-all', rules: [allow(rule)] }),
      rule,
    ).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'rules' } })
  expect(permissions.settings(everywhere)).toEqual({ mode: null, rules: [allow('bash: make *')] })
})

it('keeps both of two concurrent changes, even if one started from older settings', async () => {
  const { permissions, dir } = await openPermissions()
  const everywhere = { kind: 'everywhere' } as const
  const set = (scope: PermissionScope, ...rules: PermissionRule[]) =>
    permissions.setSettings(scope, { mode: null, rules }, noPermissionSettings)
  const a = allow('bash: a')
  const b = allow('bash: b')
  await Promise.all([
    set(everywhere, a),
    set({ kind: 'project', projectId }, a),
    set(everywhere, b),
  ])
  expect(permissions.settings(everywhere).rules.toSorted(byRule)).toEqual([a, b])
  expect(permissions.settings({ kind: 'project', projectId }).rules).toEqual([a])
  const file = await openPermissionStore(join(dir, 'permissions.json'))
  expect(file.of(everywhere, '').rules).toHaveLength(2)
  const removed = await permissions.setSettings(
    everywhere,
    { mode: 'ask', rules: [] },
    {
      mode: null,
      rules: [a],
    },
  )
  expect(removed).toEqual({ mode: 'ask', rules: [b] })
})

const byRule = (one: PermissionRule, other: PermissionRule) => (one.rule < other.rule ? -1 : 1)

it('refuses more rules than its file may have', async () => {
  const { permissions, dir } = await openPermissions()
  const everywhere = { kind: 'everywhere' } as const
  const rules = Array.from({ length: rulesMax }, (_, at) => allow(`bash: make ${at}`))
  await permissions.setSettings(everywhere, { mode: null, rules })
  await expect(
    permissions.setSettings(
      everywhere,
      { mode: null, rules: [allow('bash: one more')] },
      noPermissionSettings,
    ),
  ).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'rules' } })
  expect((await openPermissionStore(join(dir, 'permissions.json'))).lost).toBe(null)
})

it('[P1] a repository’s restrictions at the start of a task apply to its sub-agents, even if they are removed since', async () => {
  const { task, forRun, dir } = await openPermissions()
  const policy = join(dir, '.shiplog/permissions.json')
  await mkdir(join(dir, '.shiplog'))
  const rules = [{ effect: 'deny', rule: 'bash: make *' }]
  await writeFile(policy, JSON.stringify({ rules }))
  const parent = task(null, 'allow-all', 'model')
  await forRun(parent)
  await writeFile(policy, '{}')
  const kind = async (one: Task) => (await (await forRun(one)).check(bash('make a')))?.verdict.kind
  expect(await kind(task(parent.id, null, 'model'))).toBe('deny')
  expect(await kind(task(null, 'allow-all', 'model'))).toBe('allow')
})

it('[P2] shows the removed and added lines of an edit, whatever its text and path pretend', async () => {
  const { task, forRun } = await openPermissions()
  const { check } = await forRun(task(null, 'ask', 'model'))
  const shown = async (name: string, input: object) =>
    (await check({ name, input, cwd: '/' }))?.action.text
  const edit = { path: 'a\nb', oldText: 'one\n+ two\n', newText: '', replaceAll: true }
  expect(await shown('edit_file', edit)).toBe('Change a␊b, everywhere in it:\n- one\n- + two')
  expect(await shown('write_file', { path: 'a', content: 'x\n\ny' })).toBe('Write a:\n+ x\n+ \n+ y')
})

it('asks about everything after its file was damaged, says so, and keeps the file', async () => {
  const { permissions, warnings, dir } = await openPermissions('{"version":1,"everywhere":')
  expect(permissions.modeOf(projectId)).toBe('ask')
  expect(warnings).toEqual([expect.stringContaining('permissions.json.damaged-1')])
  expect(await readdir(dir)).toEqual(['permissions.json.damaged-1'])
})

it('[P3] rules for addresses apply to the fetched page, however its address is written', async () => {
  const { permissions, task, forRun } = await openPermissions()
  const rules: PermissionRule[] = [
    allow('web_fetch: https://docs.example.com/*'),
    { effect: 'deny', rule: 'web_fetch: https://evil.example.com' },
    { effect: 'deny', rule: 'web_fetch: https://docs.example.com/private/*' },
    { effect: 'deny', rule: 'web_fetch: https://b\u00fccher.example/*' },
    { effect: 'deny', rule: 'web_fetch: https://Port.example:443/*' },
  ]
  await permissions.setSettings({ kind: 'everywhere' }, { mode: 'ask', rules })
  const { check } = await forRun(task(null, null, 'model'))
  const of = async (url: string) => (await check(fetching(url)))?.verdict.kind
  expect(await of('HTTPS://Docs.example.com/a')).toBe('allow')
  expect(await of('https://docs.example.com/a/../private/x')).toBe('deny')
  expect(await of('https://docs.example.com/%2e%2e/private/x')).toBe('deny')
  expect(await of('https://EVIL.example.com')).toBe('deny')
  expect(await of('https://evil.example.com/')).toBe('deny')
  expect(await of('https://evil.example.com.')).toBe('deny')
  expect(await of('https://evil.example.com/#a')).toBe('deny')
  expect(await of('https://evil.example.com/?')).toBe('deny')
  expect(await of('https://docs.example.com/%70rivate/x')).toBe('deny')
  expect(await of('https://docs.example.com/a/..%2fprivate/x')).toBe('allow')
  expect(await of('https://docs.example.com./a')).toBe('ask')
  expect(await of('https://xn--bcher-kva.example/')).toBe('deny')
  expect(await of('https://port.example/')).toBe('deny')
  const all = { mode: 'ask' as const, rules: [allow('web_fetch: *')] }
  await permissions.setSettings({ kind: 'everywhere' }, all)
  expect(await of('no address')).toBe('ask')
})

it('[P1] asks about Shiplog’s own folder where it is in the working directory', async () => {
  const { task, forRun, dir } = await openPermissions()
  await mkdir(join(dir, 'data'))
  await symlink('data', join(dir, 'link'))
  const { check } = await forRun(task(null, 'allow-edits', 'model'))
  const of = async (name: string, input: unknown) =>
    (await check({ name, input, cwd: dir }))?.verdict
  const edited = (path: string) => of('write_file', { path, content: '' })
  const ran = (command: string) => of('bash', { command })
  expect(await edited('src/permissions.json')).toMatchObject({ kind: 'allow' })
  expect(await ran('cat src/lease.json > other')).toMatchObject({ kind: 'allow' })
  for (const path of ['data/permissions.json', 'link/ledger.jsonl', 'src/../data/new'])
    expect(await edited(path)).toEqual({
      kind: 'ask',
      reasons: [`It writes to ${path}, which belongs to Shiplog.`],
      proposal: [],
    })
  for (const command of [
    'echo > data/permissions.json',
    'cd data && echo > permissions.json',
    'cat data/lease.json',
    'cat < link/lease.json',
    'ls data/*',
  ])
    expect(await ran(command), command).toMatchObject({ kind: 'ask' })
})
