/** Tells configuration that is text for a model alone from what runs code or allows something. Pure. */
import { readFrontMatter } from '../../definitions/front-matter.ts'

/** Describe a text, or narrow what its reader may do. Any other key counts as code: hooks, servers, allowed tools. */
const plainKeys = new Set([
  ...[
    'name',
    'description',
    'title',
    'summary',
    'version',
    'author',
    'license',
    'tags',
    'category',
  ],
  ...['model', 'effort', 'color', 'mode', 'temperature', 'top_p', 'steps', 'maxTurns', 'max_turns'],
  ...[
    'argument-hint',
    'arguments',
    'when_to_use',
    'whenToUse',
    'disallowedTools',
    'hidden',
    'agent',
    'skills',
  ],
  ...[
    'disable-model-invocation',
    'user-invocable',
    'subtask',
    'context',
    'keep-coding-instructions',
  ],
  ...['globs', 'paths', 'alwaysApply', 'applyTo', 'trigger', 'metadata', 'compatibility'],
])

/** `path`: with `/`. False: a model reads it, and nothing else happens. */
export function runsCode(path: string, text: string): boolean {
  if (/\.md[xc]?$/i.test(path)) return markdownRunsCode(text, isOfClaude(path))
  // Commands of Gemini CLI and Qwen Code.
  if (/(?:^|\/)commands\/.*\.toml$/i.test(path)) return text.includes('!{')
  return true
}

/** There `tools` narrows, while elsewhere it allows. */
const isOfClaude = (path: string): boolean => /(?:^|\/)\.claude\//i.test(path)

function markdownRunsCode(text: string, toolsNarrow: boolean): boolean {
  // Commands that the agent runs before the model sees their output: !`git status`, ```! and !{git status}.
  if (/!`|!\{|(?:`{3,}|~{3,})[ \t]*!/.test(text)) return true
  // Some agents accept blank lines or a mark of byte order before it.
  const trimmed = text.replace(/^[\s\uFEFF]+/u, '')
  if (!trimmed.startsWith('---')) return false
  try {
    const { matter } = readFrontMatter(trimmed)
    if (matter === null || matter === undefined) return false
    if (typeof matter !== 'object' || Array.isArray(matter)) return true
    return Object.keys(matter).some(
      (key) => !plainKeys.has(key) && !(toolsNarrow && key === 'tools'),
    )
  } catch {
    // An agent may be less strict about what front matter is.
    return true
  }
}
