import { describe, expect, it } from 'vitest'
import { decide } from '../../../src/main/agents/permissions/decide.ts'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import { place, verdictOf } from './verdicts.ts'

describe('[P1] what an installed agent reads again while it runs', () => {
  const edit = (path: string, mode: PermissionMode, ...rules: string[]) =>
    decide([{ mode, rules: rules.map((rule) => ({ effect: 'allow', rule })) }], {
      kind: 'edit',
      path,
      place,
    })
  const files = [
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.CLAUDE/Settings.json',
    './.claude/skills/a/SKILL.md',
    'packages/a/.claude/commands/b.md',
    '.claude./settings.json',
    '.mcp.json',
    '.codex/config.toml',
    '.opencode/plugin/a.ts',
    'opencode.json',
    '.gemini/settings.json',
    '.qwen/settings.json',
    '.cursor/mcp.json',
  ]

  it.each(files)('is asked about in allow-edits: %s', (path) => {
    expect(edit(path, 'allow-edits')).toMatchObject({
      kind: 'ask',
      reasons: [expect.stringContaining('may change what an agent runs')],
    })
    expect(edit(path, 'allow-edits', 'edit: **', 'edit: *.json').kind).toBe('ask')
    expect(edit(path, 'allow-all').kind).toBe('allow')
    const command = `echo '{}' > '${path}'`
    expect(verdictOf(command, { mode: 'allow-edits', rules: [] }).kind).toBe('ask')
  })

  it('is allowed by a rule that names it', () => {
    const proposed = edit('.claude/settings.json', 'allow-edits')
    expect(proposed).toMatchObject({ proposal: ['edit: .claude/settings.json'] })
    expect(edit('.claude/settings.json', 'ask', 'edit: .claude/settings.json').kind).toBe('allow')
    expect(edit('.claude/settings.json', 'allow-edits', 'edit: .claude/**').kind).toBe('allow')
    expect(edit('.mcp.json', 'allow-edits', 'edit: .mcp.json').kind).toBe('allow')
  })

  it.each(['.env', 'src/claude/a.ts', 'docs/.claude.md', 'a.mcp.json', '.github/workflows/ci.yml'])(
    'is not taken for %s',
    (path) => {
      expect(edit(path, 'allow-edits').kind).toBe('allow')
    },
  )
})
