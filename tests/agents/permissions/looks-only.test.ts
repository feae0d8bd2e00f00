/** What commands that only look at files could do on systems, or in folders, that are not the usual ones. */
import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { decide } from '../../../src/main/agents/permissions/decide.ts'
import type { Place } from '../../../src/main/agents/permissions/places.ts'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import type { CommandShell, PermissionRule } from '../../../src/shared/agents/permissions.ts'
import { temporaryDir } from '../../harness.ts'

const verdict = (
  command: string,
  place: Place = { workingDir: '/code/api', cwd: '/code/api' },
  {
    mode = 'ask',
    shell = 'bash',
    rules = [],
  }: { mode?: PermissionMode; shell?: CommandShell; rules?: PermissionRule[] } = {},
) => decide([{ mode, rules }], { kind: 'command', command, place, shell }).kind

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('[P3] asks where', () => {
  it('some versions of find end the command of -exec earlier', () => {
    for (const command of [
      "find . -exec echo ';x' -delete",
      'find . -exec echo a + -delete',
      "find . -exec echo '{}' +x -delete \\;",
      "find . -ok echo '{}' + -delete",
    ])
      expect(verdict(command), command).toBe('ask')
    const rules: PermissionRule[] = [{ effect: 'allow', rule: 'bash: npm test *' }]
    expect(verdict('find . -exec npm test \\;', undefined, { rules })).toBe('allow')
  })

  it('some versions of timeout run their first word', () => {
    const rules: PermissionRule[] = [{ effect: 'allow', rule: 'bash: npm test *' }]
    expect(verdict('timeout ./program npm test', undefined, { rules })).toBe('ask')
    expect(verdict('timeout 1.5s npm test', undefined, { rules })).toBe('allow')
  })

  it('another program runs what looks at files', () => {
    for (const command of [
      'env ls',
      'timeout 5 ls',
      'nice ls',
      'command ls',
      'exec ls',
      "sh -c 'cat a'",
      'find . -exec cat a \\;',
      'echo a | xargs cat b',
    ])
      expect(verdict(command), command).toBe('ask')
  })

  it('zsh runs a program for a redirection alone', () => {
    const of = (command: string, shell: CommandShell) =>
      verdict(command, undefined, { mode: 'allow-edits', shell })
    for (const command of ['< a', 'true; > a', '(< a)']) {
      expect(of(command, 'unknown'), command).toBe('ask')
      expect(of(command, 'bash'), command).toBe('allow')
    }
    for (const command of ['cat < a', '(cat) < a', 'echo a > b'])
      expect(of(command, 'unknown'), command).toBe('allow')
  })

  it('zsh finds a folder that is missing by the settings of the user, as a variable or elsewhere', async () => {
    const workingDir = await temporaryDir()
    await mkdir(join(workingDir, 'src/HOME/lib'), { recursive: true })
    await writeFile(join(workingDir, 'file'), '')
    const place = { workingDir, cwd: workingDir }
    const of = (command: string, shell: CommandShell = 'unknown') =>
      verdict(command, place, { shell })
    for (const command of [
      'cd HOME; cat .ssh/id',
      'cd PATH/..; ls',
      'cd other && ls',
      'cd file; ls',
      '(cd src; ls); cd HOME; cat .ssh/id',
      'cd src && cd HOME/lib && ls',
    ])
      expect(of(command), command).toBe('ask')
    for (const command of [
      'cd src && ls',
      'cd src/HOME && ls',
      'cd ./other; ls',
      `cd ${workingDir} && ls`,
    ])
      expect(of(command), command).toBe('allow')
    expect(of('cd other && ls', 'bash')).toBe('allow')
  })

  it('pip may load modules of the folder', () => {
    expect(verdict('pip --version')).toBe('ask')
  })

  it('Bash replaces a `~` after `=`, which a link may lead anywhere', async () => {
    const workingDir = await temporaryDir()
    await symlink('/', join(workingDir, 'x='))
    const place = { workingDir, cwd: workingDir }
    for (const command of [
      'cat x=~/a',
      'cat x=~/*',
      'echo x=~/*',
      'cd x=~ && cat a',
      'cat < x=~/a',
      'echo a > x=~/a',
    ])
      expect(verdict(command, place, { mode: 'allow-edits' }), command).toBe('ask')
    expect(verdict("cat 'y=~/a'", place)).toBe('allow')
  })

  it('a path is too long to be looked at, but not from the working directory', async () => {
    const workingDir = await temporaryDir()
    const folders = `${'d'.repeat(200)}/`.repeat(20)
    const path = `${folders}${'e'.repeat(4_092 - folders.length - workingDir.length)}`
    const make = 'for d in $(echo "$1" | tr / " "); do mkdir $d && cd -P $d; done; ln -s /etc out'
    execFileSync('sh', ['-c', make, 'sh', path], { cwd: workingDir })
    try {
      const command = `cat ${path}/out/passwd`
      expect(execFileSync('bash', ['-c', command], { cwd: workingDir }).length).toBeGreaterThan(0)
      expect(verdict(command, { workingDir, cwd: workingDir })).toBe('ask')
    } finally {
      execFileSync('rm', ['-r', join(workingDir, 'd'.repeat(200))])
    }
    expect(verdict(`grep ${'a'.repeat(300)} README.md`)).toBe('allow')
  })

  it('folders are looked through that contain the data directory', async () => {
    const workingDir = await temporaryDir()
    const apart = join(workingDir, 'data')
    await mkdir(apart)
    for (const command of ['grep -rn token .', 'grep -r token', 'find .', 'ls -laR'])
      for (const [place, expected] of [
        [{ workingDir, cwd: workingDir, apart }, 'ask'],
        [{ workingDir, cwd: workingDir }, 'allow'],
      ] as const)
        expect(verdict(command, place), command).toBe(expected)
    expect(verdict('grep -n token a.txt', { workingDir, cwd: workingDir, apart })).toBe('allow')
  })

  it('the PATH has a program of that name in the working directory', async () => {
    const workingDir = await temporaryDir()
    const place = { workingDir, cwd: workingDir }
    await mkdir(join(workingDir, 'bin'))
    for (const name of ['which', 'env']) await writeFile(join(workingDir, 'bin', name), '')
    const commands = ['which node', 'env cat a', 'xargs which']
    vi.stubEnv('PATH', `${join(workingDir, 'bin')}:/usr/bin:/bin`)
    for (const command of commands) expect(verdict(command, place), command).toBe('ask')
    expect(verdict('cat a', place)).toBe('allow')
    await symlink('bin', join(workingDir, 'link'))
    vi.stubEnv('PATH', `${join(workingDir, 'link')}:/usr/bin:/bin`)
    expect(verdict('which node', place)).toBe('ask')
    vi.stubEnv('PATH', '/usr/bin:/bin')
    expect(verdict('which node', place)).toBe('allow')
    const afterwards = (programPath: string) => verdict('which node', { ...place, programPath })
    expect(afterwards(`${join(workingDir, 'bin')}:/usr/bin:/bin`)).toBe('ask')
    expect(afterwards('./bin:/usr/bin:/bin')).toBe('ask')
    expect(afterwards('/opt/bin:/usr/bin:/bin')).toBe('allow')
  })
})
