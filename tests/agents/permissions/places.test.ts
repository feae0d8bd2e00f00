/** Where the paths of commands and edits lead: links, `~` and folders that the shell goes to. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { PermissionRequest } from '../../../src/main/agents/permissions/analyze-request.ts'
import { decide } from '../../../src/main/agents/permissions/decide.ts'
import { apartIn } from '../../../src/main/agents/permissions/places.ts'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import type { PermissionRule } from '../../../src/shared/agents/permissions.ts'
import { temporaryDir } from '../../harness.ts'

const denySecrets: PermissionRule[] = [{ effect: 'deny', rule: 'edit: secrets/**' }]

/** A working directory with links that are as good as committed. */
async function linked() {
  const workingDir = join(await temporaryDir(), 'project')
  const folders = ['src', 'a/b', 'secrets', '.git/hooks', 'logs']
  for (const folder of folders) await mkdir(join(workingDir, folder), { recursive: true })
  await writeFile(join(workingDir, 'src/x'), 'x\n')
  const links = {
    etc: '/etc',
    rc: '../../.bashrc',
    hooks: '.git/hooks',
    safe: 'secrets',
    loop: 'loop',
    'a/link': '../a/b',
    'a/up': '..',
    'logs/all': '/etc/passwd',
    'src/in': '../a',
    '-n=a': '/etc/passwd',
  }
  for (const [from, to] of Object.entries(links)) await symlink(to, join(workingDir, from))
  const place = { workingDir, cwd: workingDir }
  return {
    workingDir,
    of: (command: string, mode: PermissionMode, rules: PermissionRule[] = []) =>
      decide([{ mode, rules }], { kind: 'command', command, place }).kind,
    edit: (path: string, mode: PermissionMode, rules: PermissionRule[] = []) =>
      decide([{ mode, rules }], { kind: 'edit', path, place }).kind,
  }
}

it('[P1] resolves an edit’s path as the file tools do, and asks if it can’t', async () => {
  const { edit } = await linked()
  const all: PermissionRule[] = [{ effect: 'allow', rule: 'edit: **' }]
  expect(edit('~/../src/x', 'ask')).toBe('ask')
  expect(edit('~/../secrets/x', 'allow-edits', denySecrets)).toBe('deny')
  expect(edit('etc/../src/x', 'allow-edits')).toBe('allow')
  for (const path of ['../x', '/etc/passwd', 'etc/x', 'hooks/x', '.git/x', 'loop', 'rc', 'a\0']) {
    expect(edit(path, 'allow-edits', all), path).toBe('ask')
    expect(edit(path, 'ask', all), path).toBe('ask')
  }
})

it('takes what follows `--` for a file of that name', async () => {
  const { of } = await linked()
  expect(of('cat -- -n=a', 'ask')).toBe('ask')
  expect(of('cat -- -n=b', 'ask')).toBe('allow')
})

it('[P1] takes the data directory for outside, also where the working directory contains it, and a worktree in it for inside', async () => {
  const workingDir = join(await temporaryDir(), 'project')
  const dataDir = join(workingDir, 'data')
  await mkdir(join(dataDir, 'worktrees/one'), { recursive: true })
  await symlink('data', join(workingDir, 'link'))
  const of = (command: string, dir: string) =>
    decide([{ mode: 'ask', rules: [] }], {
      kind: 'command',
      command,
      place: { workingDir: dir, cwd: dir, apart: apartIn(dir, dataDir) },
    }).kind
  const edit = (path: string, dir: string) =>
    decide([{ mode: 'allow-edits', rules: [] }], {
      kind: 'edit',
      path,
      place: { workingDir: dir, cwd: dir, apart: apartIn(dir, dataDir) },
    }).kind
  for (const path of ['data/keys.json', 'link/keys.json', 'src/../data/keys.json'])
    expect([of(`cat ${path}`, workingDir), edit(path, workingDir)], path).toEqual(['ask', 'ask'])
  expect([of('cat a.txt', workingDir), edit('a.txt', workingDir)]).toEqual(['allow', 'allow'])
  const worktree = join(dataDir, 'worktrees/one')
  expect([of('cat a.txt', worktree), edit('a.txt', worktree)]).toEqual(['allow', 'allow'])
})

it('[P1] a link within the worktree does not evade a rule about its target', async () => {
  const { of, edit } = await linked()
  expect(edit('safe/x', 'allow-edits', denySecrets)).toBe('deny')
  expect(of('echo x > safe/x', 'allow-edits', denySecrets)).toBe('deny')
  expect(of('cd secrets && echo x > x', 'allow-edits', denySecrets)).toBe('deny')
  expect(of('cd safe && echo x > x', 'allow-edits', denySecrets)).toBe('deny')
  expect(edit('safe/x', 'ask', [{ effect: 'allow', rule: 'edit: safe/**' }])).toBe('ask')
})

it('[P3] asks about a pattern that matches a name that would be an option', async () => {
  const workingDir = await temporaryDir()
  await mkdir(join(workingDir, 'src'))
  await writeFile(join(workingDir, 'a.txt'), '')
  const place = { workingDir, cwd: workingDir }
  const of = (command: string) =>
    decide([{ mode: 'ask', rules: [] }], { kind: 'command', command, place }).kind
  expect(of('wc *')).toBe('allow')
  expect(of('head src/*')).toBe('allow')
  await writeFile(join(workingDir, '--compress-program=x'), '')
  await writeFile(join(workingDir, 'src/--compress-program=x'), '')
  for (const pattern of ['*', '?*', '[-]*', '[!a]*']) expect(of(`wc ${pattern}`)).toBe('ask')
  expect(of('head src/*')).toBe('allow')
})

it.each(['--config=x.js', '@args', 'CC=evil', '$(touch pwned).js', '`touch pwned`.js'])(
  '[P3] asks about a pattern that matches the name %s, which a program or a further shell reads otherwise',
  async (name) => {
    const workingDir = await temporaryDir()
    const place = { workingDir, cwd: workingDir }
    const rules: PermissionRule[] = [{ effect: 'allow', rule: 'bash: npm test -- *[a-z]' }]
    const of = () =>
      decide([{ mode: 'ask', rules }], { kind: 'command', command: 'npm test -- *[a-z]', place })
    await writeFile(join(workingDir, 'a.js'), '')
    expect(of().kind).toBe('allow')
    await writeFile(join(workingDir, name), '')
    expect(of()).toMatchObject({ kind: 'ask', proposal: [] })
  },
)

it('[P1] asks about edits of files that a repository restricts, except with a rule for just that', async () => {
  const { of, edit } = await linked()
  const path = '.shiplog/permissions.json'
  const rules = ['edit: **', 'edit: .shiplog/*', 'bash: *'].map(
    (rule): PermissionRule => ({ effect: 'allow', rule }),
  )
  const exact: PermissionRule[] = [{ effect: 'allow', rule: `edit: ${path}` }]
  for (const mode of ['ask', 'allow-edits', 'allow-all'] as const) {
    expect(edit(path, mode, rules), mode).toBe('ask')
    expect(of(`echo x > ${path}`, mode, rules), mode).toBe('ask')
    expect(of('cd .shiplog && echo x > permissions.json', mode, rules), mode).toBe('ask')
    expect(of(`cp a ${path}`, mode, rules), mode).toBe('ask')
    expect(of(`dd if=a of=./${path}`, mode, rules), mode).toBe('ask')
    expect(of('rm -rf .shiplog/', mode, rules), mode).toBe('ask')
    expect(of('mv other src/../.SHIPLOG', mode, rules), mode).toBe('ask')
    expect(of(`cat ${path}`, mode, rules), mode).toBe('allow')
    expect(edit(path, mode, exact), mode).toBe('allow')
    expect(of(`echo x > ${path}`, mode, exact), mode).toBe('allow')
  }
  expect(edit('.shiplog/project.yaml', 'allow-edits')).toBe('allow')
})

it.each([
  'cd .shiplog && rm permissions.json',
  'cd .shiplog && git checkout x -- .',
  'cd .shiplog && rm *',
  'cd "$X" && rm permissions.json',
  'cd "$X" && echo x > permissions.json',
  'cd src && rm ../.shiplog/permissions.json',
  'rm .shiplo*/permissions.json',
  'rm .[s]hiplog/permissions.json',
  'rm {.shiplog,x}/permissions.json',
  'rm "$PWD/.shiplog/permissions.json"',
  'echo x > "$PWD/.shiplog/permissions.json"',
  'rm ../other/.shiplog/permissions.json',
  'cp -t.shiplog x/permissions.json',
  'git checkout x -- :/.shiplog',
  "git checkout x -- ':(top).shiplog/permissions.json'",
])(
  '[P1] asks in allow-all about `%s`, which may change what a repository restricts',
  async (command) => {
    const { of } = await linked()
    expect(of(command, 'allow-all')).toBe('ask')
  },
)

it('[P1] asks in no mode more than elsewhere about what is beside that file', async () => {
  const { of } = await linked()
  for (const command of [
    'rm src/permissions.json',
    'cd src && rm *',
    'cp -r . /tmp/x',
    'rm *.json',
  ])
    expect(of(command, 'allow-all'), command).toBe('allow')
  expect(of('cd "$X" && rm other.json', 'allow-all')).toBe('allow')
})

it('[P1] asks about the file to which that of a repository is a link', async () => {
  const workingDir = await temporaryDir()
  await mkdir(join(workingDir, '.shiplog'))
  await mkdir(join(workingDir, 'config'))
  await symlink('../config/agents.json', join(workingDir, '.shiplog/permissions.json'))
  const place = { workingDir, cwd: workingDir }
  const policy = [{ mode: 'allow-all' as const, rules: [] }]
  const edit = (path: string) => decide(policy, { kind: 'edit', path, place }).kind
  expect(edit('config/agents.json')).toBe('ask')
  expect(edit('config/other.json')).toBe('allow')
  const command = 'rm config/agents.json'
  expect(decide(policy, { kind: 'command', command, place }).kind).toBe('ask')
})

it.each([
  '.\u017fhiplog/permissions.json',
  '.shiplog/permissions.json. ',
  '.shiplog./permissions.json::$DATA',
])('[P1] asks about an edit of %j, which some systems take for that file', async (path) => {
  const { edit } = await linked()
  expect(edit(path, 'allow-all')).toBe('ask')
})

it('asks in allow-all about a redirection to an unknown file, if there is a rule about edits', async () => {
  const { of } = await linked()
  for (const command of ['echo x > "$X"', 'cd "$X" && echo x > x', 'sudo sh -c \'echo x > "$X"\''])
    expect(of(command, 'allow-all', denySecrets), command).toBe('ask')
  expect(of('echo x > "$X"', 'allow-all', [{ effect: 'deny', rule: 'bash: a' }])).toBe('allow')
  for (const command of [
    'cd src && echo x > ../secrets/x',
    'echo x > ~/project/secrets/x',
    'echo x > /proc/self/cwd/secrets/x',
  ])
    expect(of(command, 'allow-all', denySecrets), command).toBe('ask')
  for (const command of ['cd src && echo x > x', 'cd src && echo x > /dev/stdout', 'echo x > /x'])
    expect(of(command, 'allow-all', denySecrets), command).toBe('allow')
})

it('asks about a pattern that matches a link out of the working directory in the shell of a user with dotglob or globstar', async () => {
  const { of, workingDir } = await linked()
  await mkdir(join(workingDir, 'deep/er'), { recursive: true })
  expect(of('cat deep/*', 'ask')).toBe('allow')
  expect(of('cat deep/**', 'ask')).toBe('allow')
  await symlink('/etc/passwd', join(workingDir, 'deep/er/passwd'))
  expect(of('cat deep/*', 'ask')).toBe('allow')
  await symlink('deep', join(workingDir, 'inner'))
  for (const command of ['cat deep/**', 'cat deep/**/passwd', 'cat **/er/p*', 'cat inner/**'])
    expect(of(command, 'ask'), command).toBe('ask')
  await symlink('/etc/passwd', join(workingDir, 'deep/.passwd'))
  expect(of('cat deep/*', 'ask')).toBe('ask')
})

it('asks about a pattern that matches a link out of the working directory in the shell of a user with nocaseglob', async () => {
  const { of, workingDir } = await linked()
  await mkdir(join(workingDir, 'docs'))
  await symlink('/etc/passwd', join(workingDir, 'docs/key'))
  await symlink('/etc', join(workingDir, 'docs/etc'))
  await symlink('/etc/passwd', join(workingDir, 'docs/e\u0301t\u00e9'))
  for (const command of [
    'cat docs/K*',
    'cat DOC*/k*',
    'cat docs/K?[a-z]',
    // zsh then also takes the parts that are no patterns in any case.
    'cat DOCS/k*',
    'cat */KEY',
    'cat docs/ETC/p*',
    'cat d*/ETC/passwd',
    'cat docs/É*',
    'cat docs/e*',
    'wc -l docs/KE*',
  ])
    expect(of(command, 'ask'), command).toBe('ask')
  expect(of('cat docs/A*', 'ask')).toBe('allow')
  await writeFile(join(workingDir, '-x=1'), '')
  await writeFile(join(workingDir, 'config=x'), '')
  const rules: PermissionRule[] = [{ effect: 'allow', rule: 'bash: prettier *' }]
  expect(of('prettier C*', 'ask', rules)).toBe('ask')
  expect(of('prettier D*', 'ask', rules)).toBe('ask')
})

it('asks about a pattern that excludes names in the shell of a user with extendedglob', async () => {
  const { of, workingDir } = await linked()
  await symlink('/etc/passwd', join(workingDir, 'src/key'))
  for (const command of ['cat src/key~b*', 'cat src/key~q/*', 'cat src/x~b*'])
    expect(of(command, 'ask'), command).toBe('ask')
  expect(of('cat src/x*', 'ask')).toBe('allow')
})

it('[P1] asks in allow-all about a pattern that may be the policy, however a shell reads it', async () => {
  const { of } = await linked()
  for (const pattern of [
    '.shiplog/[^P]*',
    '.shiplog/p[!E]rmissions.json',
    '.shiplo[^G]/*',
    '.shiplog/[[=p=]]*',
    '.shiplog/[[.p.]]*',
    '.shiplog/[^]P]*',
    '.shiplog/^P*',
    '.^x*/p*',
    '.shiplog/*~x',
    '.shiplog/p#ermissions*',
  ])
    expect(of(`rm ${pattern}`, 'allow-all'), pattern).toBe('ask')
  for (const pattern of ['pages/[id].tsx', '[a-z]*/x', '*~', '**/*.json', '.git*', '.[^s]*/x'])
    expect(of(`cp x ${pattern}`, 'allow-all'), pattern).toBe('allow')
})

it('asks about a pattern that may be a word of a rule that forbids, however a shell reads it', async () => {
  const { of } = await linked()
  const denied = [{ effect: 'deny', rule: 'bash: git push *' }] as const
  for (const word of ['PUS[H]', 'pus[^H]', '[^P]ush', '[[=p=]]ush', '^P*', 'p#ush*', '*~x'])
    expect(of(`git ${word}`, 'allow-all', [...denied]), word).toBe('ask')
  expect(of('git pul[l]', 'allow-all', [...denied])).toBe('allow')
})

it('[P2] says which file is changed by a link', async () => {
  const { workingDir } = await linked()
  const place = { workingDir, cwd: workingDir }
  const reasonsOf = (request: PermissionRequest) => {
    const verdict = decide([{ mode: 'ask', rules: [] }], request)
    return verdict.kind === 'ask' ? verdict.reasons.join(' ') : verdict.kind
  }
  const edit = (path: string) => reasonsOf({ kind: 'edit', path, place })
  const command = (text: string) => reasonsOf({ kind: 'command', command: text, place })
  const leads = 'By a link it changes secrets/x.'
  expect(edit('safe/x')).toBe(`You are asked about every change of a file. ${leads}`)
  expect(edit('src/../src/x')).toBe('You are asked about every change of a file.')
  expect(command('echo a > safe/x')).toBe(`It writes to safe/x. ${leads}`)
  expect(command('echo a > ./src/x')).toBe('It writes to ./src/x.')
})

it('finds a file by its path from the root, wherever the shell is', async () => {
  const { of, edit, workingDir } = await linked()
  const command = `cd "$X" && echo x > ${workingDir}/secrets/x`
  expect(of(command, 'allow-all', denySecrets)).toBe('deny')
  // Its target may be any file, also to the file tools.
  await symlink('/proc/self/cwd/secrets', join(workingDir, 'own'))
  expect(edit('own/x', 'allow-all', denySecrets)).toBe('ask')
  expect(edit('own/x', 'allow-all')).toBe('allow')
})

it.skipIf(process.platform !== 'linux')(
  '[P1] asks about links with names that are not UTF-8, which Node reads as others',
  async () => {
    const { of, workingDir } = await linked()
    const above = Buffer.from(`${workingDir}/up\xff`, 'latin1')
    await symlink('..', above)
    const target = Buffer.from('up\xff/x', 'latin1')
    await symlink(target, join(workingDir, 'plain'))
    for (const command of [
      'cat plain',
      'echo x > plain',
      'cat up*/x',
      'cat < plain',
      "> $'up\\xff/x'",
      "> $'up\\377/x'",
    ])
      expect(of(command, 'allow-edits'), command).toBe('ask')
  },
)

it.each([
  'cat etc/passwd',
  'cat a/link/../../../x',
  'cat a/up/../x',
  'cat e*/passwd',
  'cat logs/*',
  'cd etc && cat passwd',
  'cd logs && cat all',
  'echo x > etc',
  'echo x > rc',
  'cat loop',
  'echo x > hooks/pre-commit',
  'cd hooks && echo x > pre-commit',
  'cat < etc/passwd',
  'cd src && cd in && cat up/../x',
  'cat .?/.?/etc/passwd',
  'cat /proc/self/cwd/src/x',
])('[P1] asks about %s', async (command) => {
  expect((await linked()).of(command, 'allow-edits')).toBe('ask')
})

it.each([
  'cat src/x',
  'cat src/*',
  'cat s*/x',
  'cat a/link/x',
  'cat a/link/../x',
  'cd src && cat x',
  'cd src && cd in && cat x',
  'echo x > a/link/x',
  'cat < src/x',
])('[P1] asks nothing about %s', async (command) => {
  expect((await linked()).of(command, 'allow-edits')).toBe('allow')
})
