/** What the rules and the user are asked for an agent's request: nothing that its model writes may hide what runs. */

import { describe, expect, it } from 'vitest'
import { questionOf } from '../../../src/main/agents/acp/permission-requests.ts'
import { callStateOf, newCall } from '../../../src/main/agents/acp/updates/calls.ts'
import { shownPathIn } from '../../../src/main/agents/acp/updates/shown-paths.ts'
import type { CommandShell } from '../../../src/shared/agents/permissions.ts'
import { newToolCallId } from '../../../src/shared/records/ids.ts'

const asked = (toolCall: Record<string, unknown>, shell: CommandShell = 'bash') => {
  const call = callStateOf(newCall(newToolCallId()), toolCall, shownPathIn('/code', '/code'))
  return questionOf({}, call, shell)
}
const command = (rawInput: unknown, more: object = {}) =>
  asked({ title: 'Shell', kind: 'execute', rawInput, ...more })
const diff = { type: 'diff', path: 'a.txt', oldText: 'a', newText: 'b' }

describe('[P2] a command', () => {
  it.each([
    ['Claude Code', { command: 'npm test', description: 'Tests', timeout: 5 }, {}],
    ['Codex', { command: 'npm test', cwd: '/code/a' }, { cwd: '/code/a' }],
    ['Codex, with a list', { command: ['/usr/bin/bash', '-lc', 'npm test'] }, {}],
    ['Gemini CLI', { command: 'npm test', dir_path: 'a' }, { cwd: 'a' }],
    [
      'Qwen Code',
      { command: 'npm test', is_background: false, directory: '/code' },
      { cwd: '/code' },
    ],
    ['OpenCode', { command: 'npm test', workdir: '..', timeout: 1 }, { cwd: '..' }],
  ])('of %s is decided by the rules', (_, input, more) => {
    expect(command(input)).toMatchObject({
      question: 'npm test',
      actions: [{ name: 'bash', input: { command: 'npm test' }, shell: 'bash', ...more }],
    })
  })

  it('in the background is asked about as such', () => {
    const input = { command: 'npm start', run_in_background: true }
    expect(command(input).actions).toMatchObject([{ input: { background: true } }])
  })

  it.each([
    [['zsh', '-lc', 'ls'], 'unknown'],
    [['/bin/sh', '-c', 'ls'], 'unknown'],
    [['/usr/local/bin/bash', '-c', 'ls'], 'bash'],
  ])('of %j is read by its shell', (list, shell) => {
    expect(command({ command: list }).actions).toMatchObject([{ input: { command: 'ls' }, shell }])
  })

  it('of an agent whose shell is not known says so', () => {
    const { actions } = asked({ kind: 'execute', rawInput: { command: 'ls' } }, 'unknown')
    expect(actions).toMatchObject([{ shell: 'unknown' }])
  })

  it.each([['./sh'], ['node_modules/.bin/bash'], ['/code/sh']])(
    'with the program %s is not taken for what that is given',
    (program) => {
      const { actions, question } = command({ command: [program, '-c', 'ls'] })
      expect(actions).toMatchObject([{ input: { command: `${program} -c ls` } }])
      expect(question).toContain(program)
    },
  )
})

it('[P2] a program whose name looks like an assignment is none', () => {
  const { actions } = command({ command: ['a=b/evil'] })
  expect(actions).toMatchObject([{ input: { command: "'a=b/evil'" } }])
})

describe('[P2] what is no plain command is shown whole, and no rule decides it', () => {
  it.each([
    ['the tool of an MCP server', { query: 'DROP TABLE users', command: 'ls' }, { kind: 'other' }],
    ['the same as a command', { query: 'DROP TABLE users', command: 'ls' }, {}],
    ['an MCP server’s own command', { command: 'cat README.md' }, { kind: 'other' }],
    ['more permissions', { command: 'ls', additionalPermissions: { network: true } }, {}],
    ['a command without the sandbox', { command: 'ls', dangerouslyDisableSandbox: true }, {}],
    ['two commands', { command: 'ls', cmd: 'rm a' }, {}],
    ['two folders', { command: 'ls', cwd: '/code', workdir: '/etc' }, {}],
    ['a folder that the agent may expand', { command: 'ls', cwd: '~' }, {}],
    ['a move', { command: 'ls', from: 'a', to: '/etc/b' }, { kind: 'move' }],
    ['a fetch with a body', { url: 'https://a.example', body: 'x' }, { kind: 'fetch' }],
    ['a command beside a diff', { command: 'rm -rf /home/u' }, { content: [diff] }],
    ['a move with a diff', { to: '/etc/b' }, { kind: 'move', content: [diff] }],
    ['an edit with a script', { script: 'rm -rf /' }, { kind: 'edit', content: [diff] }],
    ['a diff of another file', { file_path: '/etc/passwd' }, { kind: 'edit', content: [diff] }],
    [
      'a patch of Codex that moves a file',
      { changes: { '/etc/b': { type: 'update', move_path: '/code/a.txt' } } },
      { kind: 'edit', content: [diff] },
    ],
    ...['~/.bashrc', '/code/~/.bashrc', 'link/../b', '/code/link/../b'].map(
      (path): [string, object, object] => [
        `a diff of ${path}, which agents resolve differently`,
        { file_path: path },
        { kind: 'edit', content: [{ ...diff, path }] },
      ],
    ),
  ])('%s', (_, rawInput, more) => {
    const { actions, question } = command(rawInput, more)
    expect(actions).toBeUndefined()
    expect(question).toContain(JSON.stringify(rawInput, null, 2))
  })

  it('but for an edit alone, whose diffs say all', () => {
    const edit = {
      kind: 'edit',
      content: [diff],
      rawInput: { file_path: '/code/a.txt', command: 'str_replace' },
    }
    const { actions, question } = asked(edit)
    expect(actions).toMatchObject([{ name: 'edit_file', input: { path: 'a.txt' } }])
    expect(question).not.toContain('str_replace')
  })
})
