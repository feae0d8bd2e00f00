import { describe, expect, it } from 'vitest'
import { builtInTexts } from '../../../src/main/agents/definitions/built-in.ts'
import { narrowed } from '../../../src/main/agents/definitions/narrow.ts'
import { parseClaudeDefinition } from '../../../src/main/agents/definitions/parse-claude-definition.ts'
import { parseDefinition } from '../../../src/main/agents/definitions/parse-definition.ts'
import { definitionFrom } from '../../../src/main/agents/definitions/read-definitions.ts'
import { toolNames } from '../../../src/shared/agents/tools.ts'

const file = (...matter: string[]): string => `---\n${matter.join('\n')}\n---\nDo it.\n`
const ours = (...more: string[]) => file('name: tester', 'description: Tests.', ...more)

describe('a definition in Shiplog’s form', () => {
  it('names model, tools, permissions and limits', () => {
    const text = ours(
      'model: anthropic/claude-opus-5-5',
      'tools: [read_file, bash]',
      'permissions: allow-edits',
      'limits: {turns: 20, minutes: 15}',
    )
    expect(parseDefinition(text)).toEqual({
      name: 'tester',
      description: 'Tests.',
      prompt: 'Do it.',
      model: 'anthropic/claude-opus-5-5',
      program: null,
      tools: ['read_file', 'bash'],
      permissions: 'allow-edits',
      limits: { turns: 20, minutes: 15 },
      notes: [],
    })
  })

  it('inherits from its parent what it does not name', () => {
    expect(parseDefinition(ours())).toMatchObject({
      model: null,
      program: null,
      tools: null,
      permissions: null,
      limits: {},
      notes: [],
    })
  })

  it('may name an installed agent, which has its own model and tools', () => {
    expect(parseDefinition(ours('agent: codex'))).toMatchObject({ program: 'codex', tools: null })
  })

  it.each([
    ['an agent that is none', ours('agent: cursor'), 'agent names no installed agent: "cursor"'],
    ['a command', ours('agent: acp'), 'agent names no installed agent'],
    ['tools of an installed agent', ours('agent: codex', 'tools: [bash]'), 'remove "model" and'],
    ['a model of an installed agent', ours('agent: codex', 'model: a/b'), 'remove "model" and'],
    ['no front matter', 'Do it.', 'does not begin with front matter'],
    ['front matter without an end', '---\nname: a\n', 'without an end'],
    ['no prompt', '---\nname: a\ndescription: b\n---\n \n', 'no prompt'],
    ['no name', file('description: b'), 'name must be a text'],
    ['no description', file('name: a'), 'description must be a text'],
    ['a blank description', file('name: a', 'description: " "'), 'description must say when'],
    ['a name with a path in it', file('name: ../a', 'description: b'), 'name must be of letters'],
    ['a key with a typing error', ours('tool: [read_file]'), 'Unrecognized key: "tool"'],
    ['a tool that is none', ours('tools: [read_fil]'), 'tools.0 names no tool: "read_fil"'],
    ['a base URL', ours('baseUrl: http://127.0.0.1'), 'Unrecognized key: "baseUrl"'],
    ['a key', ours('apiKey: abc'), 'Unrecognized key: "apiKey"'],
    ['a model without its provider', ours('model: opus'), 'model names no model'],
    ['another mode', ours('permissions: everything'), 'permissions Invalid option'],
    ['no turn at all', ours('limits: {turns: 0}'), 'limits.turns'],
    ['a list', '---\n- a\n---\nDo it.', "can't be used"],
    ['a text', '---\nabc\n---\nDo it.', "can't be used"],
    ['a key twice', ours('name: b'), 'not valid YAML'],
    ['broken YAML', ours('tools: ['), 'not valid YAML'],
    ['an alias', ours('tools: &a [read_file]', 'limits: *a'), 'not valid YAML'],
    ['an unknown tag', ours('model: !!js/function "x"'), 'model'],
    ['what nests too deeply', ours(`tools: ${'['.repeat(20_000)}`), 'not valid YAML'],
  ])('with %s says what is wrong', (_what, text, problem) => {
    expect(() => parseDefinition(text)).toThrow(problem)
  })

  it('reports it briefly, whatever it quotes', () => {
    for (const text of [
      ours(`tools: ["${'x'.repeat(9_000)}"]`),
      ours(`\u001b]0;x${'y'.repeat(9_000)}: [`),
    ]) {
      const { message } = caught(() => parseDefinition(text))
      expect(message.length).toBeLessThan(600)
      expect(message).not.toContain('\u001b')
    }
  })

  it('[V4] contains no character that is invisible to the user', () => {
    const text = '---\nname: a\ndescription: "b\u202ec\\u200b"\n---\nDo\u{e0041} it.\u200b\n'
    const { description, prompt } = parseDefinition(text)
    expect(description).toBe('b<U+202E>c<U+200B>')
    expect(prompt).toBe('Do<U+E0041> it.<U+200B>')
  })

  it('has a description of one line, and of a bounded length', () => {
    const text = file('name: a', `description: |\n  one\n  two ${'x'.repeat(5_000)}`)
    const { description } = parseDefinition(text)
    expect(description).toMatch(/^one two x+…$/)
    expect(description).toHaveLength(1_000)
  })
})

const caught = (work: () => unknown): Error => {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  return expect.unreachable()
}

describe('a definition of Claude Code', () => {
  const theirs = (...more: string[]) => parseClaudeDefinition(ours(...more))

  it.each([
    ['Read, Grep, Glob', ['read_file', 'search_files', 'list_files']],
    ['[Edit, MultiEdit, Write]', ['edit_file', 'write_file']],
    ['Task', ['task', 'task_await', 'task_list', 'task_stop', 'task_apply_patch']],
    ['[]', []],
    ['"*"', null],
    ['', null],
  ])('has our tools for theirs: %s', (tools, expected) => {
    const { tools: found, notes } = theirs(`tools: ${tools}`)
    expect([found, notes]).toEqual([expected, []])
  })

  it('has bash for Bash', () => {
    expect(theirs('tools: Bash').tools).toContain('bash')
  })

  it('has no tools that Shiplog lacks, and reports them', () => {
    const { tools, notes } = theirs('tools: Read, WebSearch, mcp__github__*, constructor')
    expect(tools).toEqual(['read_file'])
    expect(notes).toEqual([
      'Shiplog has no tool for "WebSearch", "mcp__github__*", "constructor": left out',
    ])
  })

  it('does not allow a whole tool if only a part of it is named', () => {
    const { tools, notes } = theirs(
      'tools: Read, "Bash(git diff:*)", Agent(one, two)'.replaceAll('"', ''),
    )
    expect(tools).toEqual(['read_file'])
    expect(notes).toEqual([
      'a tool can\'t be limited to a part of it here ("Bash(git diff:*)", "Agent(one, two)"): left out',
    ])
  })

  it('does not have a tool that is denied, even in part', () => {
    const { tools } = theirs('disallowedTools: Write, Edit, Bash(rm *)')
    expect(tools).toEqual(toolNames.filter((name) => !/^(write_file|edit_file|bash.*)$/.test(name)))
  })

  it.each([
    ['default', 'ask'],
    ['plan', 'ask'],
    ['dontAsk', 'ask'],
    ['acceptEdits', 'allow-edits'],
    ['bypassPermissions', 'allow-all'],
    ['constructor', 'ask'],
    ['auto', 'ask'],
  ])('has a mode for permissionMode %s', (mode, expected) => {
    expect(theirs(`permissionMode: ${mode}`).permissions).toBe(expected)
  })

  it('is read-only if it is limited to planning', () => {
    expect(theirs('permissionMode: plan', 'tools: Read, Bash, Edit').tools).toEqual(['read_file'])
  })

  it.each([
    ['inherit', null, 0],
    ['sonnet', null, 1],
    ['claude-opus-5-5', 'anthropic/claude-opus-5-5', 0],
    ['openai/gpt-6.1', 'openai/gpt-6.1', 0],
  ])('runs on %s', (model, expected, notes) => {
    const found = theirs(`model: ${model}`)
    expect([found.model, found.notes.length]).toEqual([expected, notes])
  })

  it('reports its unused settings, and applies its limit', () => {
    const { notes, limits } = theirs(
      'maxTurns: 7',
      'color: blue',
      'hooks: {PreToolUse: []}',
      'mcpServers: [evil]',
    )
    expect(notes).toEqual(['not used: "hooks", "mcpServers"'])
    expect(limits).toEqual({ turns: 7 })
  })

  it('may have a description with colons and no quotes, as Claude Code accepts it', () => {
    const description = 'Use this: when\\nuser: "a" says so. <example>x: y</example>'
    const text = file('name: a', `description: ${description}`, 'tools: Read')
    expect(parseClaudeDefinition(text)).toMatchObject({ description, tools: ['read_file'] })
    expect(() => parseDefinition(text)).toThrow('not valid YAML')
  })
})

describe('the permissions of an agent', () => {
  const defined = (source: string, ...more: string[]) => definitionFrom(source, ours(...more))
  const builtIn = definitionFrom('built-in', ours('tools: [read_file]', 'limits: {turns: 5}'))

  it('are those of its definition, under the name and hash of its text', () => {
    const definition = defined('.shiplog/agents/a.md', 'tools: [bash]', 'permissions: ask')
    expect(narrowed(definition, { builtIn: null, parent: null })).toEqual({
      defined: {
        source: '.shiplog/agents/a.md',
        sha256: definition.sha256,
        tools: ['bash'],
        permissions: 'ask',
      },
      notes: [],
    })
    expect(definition.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it('[P1] are never more than its parent has', () => {
    const parent = { source: 'p', sha256: '', tools: ['read_file', 'task'] }
    const found = narrowed(defined('a', 'tools: [bash, read_file]'), { builtIn: null, parent })
    expect(found.defined.tools).toEqual(['read_file'])
    expect(found.notes).toEqual(['bash: the agent that starts it does not have that'])
    const all = narrowed(defined('a'), { builtIn: null, parent })
    expect([all.defined.tools, all.notes]).toEqual([['read_file', 'task'], []])
  })

  it('are never more than the built-in agent of its name has', () => {
    const definition = defined('a', 'tools: [bash, read_file]', 'limits: {turns: 9, minutes: 2}')
    const found = narrowed(definition, { builtIn, parent: null })
    expect(found.defined).toMatchObject({ tools: ['read_file'], limits: { turns: 5, minutes: 2 } })
    expect(found.notes[0]).toContain('bash: the built-in agent "tester" does not have that')
  })

  it('have no limit unless one is set', () => {
    const { defined: found } = narrowed(defined('a'), { builtIn: null, parent: null })
    expect(Object.keys(found)).toEqual(['source', 'sha256'])
  })
})

describe('the built-in agents', () => {
  const found = builtInTexts.map((text) => definitionFrom('built-in', text))

  it('are four, of which two are read-only', () => {
    expect(found.map(({ name, tools }) => [name, tools])).toEqual([
      ['lead', null],
      ['explore', ['read_file', 'list_files', 'search_files']],
      ['implement', null],
      ['review', ['read_file', 'list_files', 'search_files']],
    ])
  })
})
