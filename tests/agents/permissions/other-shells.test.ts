/** What shells other than the newest Bash may read as something else, and what any shell may evaluate, is asked about. */
import { expect, it } from 'vitest'
import { decide } from '../../../src/main/agents/permissions/decide.ts'
import { bashAt } from '../../../src/main/agents/permissions/shell/bash-version.ts'
import type { PermissionRule } from '../../../src/shared/agents/permissions.ts'
import { allowed, asked, place, verdictOf, verdictOnParts } from './verdicts.ts'

it('[P3] asks about a script of sh that dash reads differently than bash', () => {
  asked(String.raw`sh -c "echo \$'\\'; touch x #'"`)
  for (const shell of ['sh', 'dash', 'ash', '/bin/sh']) {
    asked(`${shell} -c '[[ a || ./evil ]]'`)
    asked(`${shell} -c 'echo a &> b'`, 'allow-edits')
    asked(`${shell} -c 'cat <(./evil)'`)
    asked(`${shell} -c '((./evil))'`)
  }
  for (const script of [
    'a+=b/evil',
    'a[0]=b/evil',
    'cat <<< a',
    '{fd}<a cat',
    'cat {a,b}',
    'cat ~+/a',
    'cat @(a|b)',
    'f() (./evil)',
  ])
    asked(`sh -c ${JSON.stringify(script)}`)
  for (const script of [
    'cat a 2>&1 | head',
    'cd src && ls -la; wc -l *.ts',
    "grep -n 'a+=[b]' src/x || true",
    '(cd src; cat a)',
    'if [ -f a ]; then cat a; fi',
  ])
    expect(verdictOnParts(`sh -c "${script}"`, { rules: [] }).kind, script).toBe('allow')
  expect(verdictOf(`bash -c '[[ a == b ]] || cat a'`).kind).not.toBe('deny')
})

it('[P3] asks about a command that zsh or fish reads differently than bash', () => {
  const of = (command: string, shell: 'bash' | 'unknown' = 'unknown') =>
    decide([{ mode: 'ask', rules: [] }], { kind: 'command', command, place, shell }).kind
  for (const command of [
    "echo *(e:'touch pwned':)",
    'path=./bin; ls',
    'for path in ./bin; do ls; done',
    'cat =evil',
    "echo 'a\\' 'b; touch pwned; echo \\'",
    'cat "$a[b]"',
    'echo a ^b',
    'a+=b/evil',
    '{ echo a } always { touch pwned; }',
    'if false; then { echo a } else { touch pwned; }; fi',
    'cat<1-9>/dev/null',
    "printf %d 'path[$(touch pwned)]'",
    "test -t 'path[$(touch pwned)]'",
    "a=1; pri'ntf' %d 'a[$''(touch pwned)]'",
    "a=1; x='a[$''(touch pwned)]'; COLUMNS=x",
    "a=1; x='a[$''(touch pwned)]'; LINES=x ls",
    "x='PATH=0'; export COLUMNS=x",
    "pri'ntf' %d 'PATH=0'; node --version",
    "pri'ntf' '%*s' 'PATH=0' a",
    "pri'ntf' '%s %d' a 1 a PATH=0",
    `test "-t" 'path[$''(touch pwned)]'`,
    `[ 'path[$''(touch pwned)]' "-eq" 1 ]`,
    `[ PATH=0 "-lt" 1 ]`,
    'echo x >! a',
    'cat **/sec',
    "histchars='!^:'; ls",
    'cd +1; cat passwd',
    'dirstack=/etc; echo',
    'for dirstack in /etc; do ls; done',
    'ls 11>/dev/null',
    '11>&2 ls',
    'echo x >&2-',
    'echo x 1>&2- a',
    '1=a ls',
  ])
    expect(of(command), command).toBe('ask')
  for (const command of [
    'ls -la src | head -5',
    "grep -rn 'a b' src && cat README.md",
    'wc -l *.ts',
    '(cat a 2>&1)|head; cat b >&2',
    'cat status options; cd ./src && cat functions',
    '[ ! -f a ] && test -d src',
  ])
    expect(of(command), command).toBe('allow')
  expect(of("echo 'a\\' 'b; touch pwned; echo \\'", 'bash')).toBe('allow')
})

it('[P3] asks about a substitution that Bash before version 4 ends earlier', () => {
  const rules: PermissionRule[] = [{ effect: 'deny', rule: 'bash: forbidden' }]
  const of = (command: string, shell: 'bash' | 'old-bash') =>
    decide([{ mode: 'allow-all', rules }], { kind: 'command', command, place, shell }).kind
  for (const command of [
    'echo "$(case a in a) echo "; evil; echo "b;; esac)"',
    'echo "$(cat <<\'E\'\n)"; evil; echo "b\nE\n)"',
    'echo "$(echo a;# )"; evil; echo "\n)"',
    'cat <(case a in a) echo "$x";; esac)',
    'echo "$\\\n(ca\\\nse a in a) echo "; evil; echo "b;; esac)"',
  ]) {
    expect(of(command, 'old-bash'), command).toBe('ask')
    asked(`bash -c '${command.replaceAll("'", "'\\''")}'`)
  }
  for (const command of [
    'echo "$(cat a | head)"',
    'case a in a) cat a;; esac',
    "cat <<E\nit's (a\nE",
    'echo "$(cat <<< a)"; cat a#b',
  ])
    expect(of(command, 'old-bash'), command).toBe('allow')
  expect(of('echo "$(case a in a) echo "b";; esac)"', 'bash')).toBe('allow')
  expect(bashAt('/bin/bash', 'darwin')).toBe('old-bash')
  expect(bashAt('bash', 'darwin')).toBe('old-bash')
  expect(bashAt('/opt/homebrew/bin/bash', 'darwin')).toBe('bash')
  expect(bashAt('/bin/bash', 'linux')).toBe('bash')
})

it('[P3] asks about a locale in which a backslash may be half a character', () => {
  for (const value of ['zh_CN.GBK', 'ja_JP', 'ja_JP.SJIS', 'zh_TW.Big5']) {
    asked(`LC_ALL=${value}; echo a`)
    asked(`LANG=${value} cat a`)
    asked(`export LC_CTYPE=${value}`)
  }
  const rules = allowed('bash: npm test *')
  asked('LC_ALL=zh_CN.GBK npm test', 'ask', rules)
  for (const value of ['C', 'POSIX', 'C.UTF-8', 'en_US.utf8', ''])
    expect(verdictOf(`LC_ALL=${value} npm test`, { rules }).kind, value).toBe('allow')
})

it('[P3] asks about a number of columns or lines that a shell evaluates', () => {
  const rules = allowed('bash: npm test *')
  asked('COLUMNS=x npm test', 'ask', rules)
  expect(verdictOf('COLUMNS=80 LINES=24 npm test', { rules }).kind).toBe('allow')
})

it('[P3] asks about variables, printf, and comparisons of test, whatever they are', () => {
  for (const command of [
    'x=1',
    'x=1 ls',
    'CI=1 ls',
    'export CI=1',
    "printf '%s' a",
    'test a = b',
    '[ 1 -lt 2 ]',
    'test -v a',
    'test -f a -o -f b',
    '[ -f a',
    'eval ls',
  ])
    asked(command)
})
