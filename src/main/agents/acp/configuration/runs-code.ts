/** Distinguishes configuration that only a model reads from configuration that runs code or grants permissions. Pure. */
import { readFrontMatter } from '../../definitions/front-matter.ts'

/** Keys that describe a text or narrow permissions. All others count as code: hooks, servers, allowed tools. */
const plainKeys = new Set([
  'name',
  'description',
  'title',
  'summary',
  'version',
  'author',
  'license',
  'tags',
  'category',
  'model',
  'effort',
  'color',
  'mode',
  'temperature',
  'top_p',
  'steps',
  'maxTurns',
  'max_turns',
  'argument-hint',
  'arguments',
  'when_to_use',
  'whenToUse',
  'disallowedTools',
  'hidden',
  'agent',
  'skills',
  'disable-model-invocation',
  'user-invocable',
  'subtask',
  'context',
  'keep-coding-instructions',
  'globs',
  'paths',
  'alwaysApply',
  'applyTo',
  'trigger',
  'metadata',
  'compatibility',
])

/** `path` has `/` as separator. False if a model reads the file and nothing else happens. */
export function runsCode(path: string, text: string): boolean {
  if (/\.md[xc]?$/i.test(path)) return markdownRunsCode(text, isClaudeFile(path))
  // Commands of Gemini CLI and Qwen Code.
  if (/(?:^|\/)commands\/.*\.toml$/i.test(path)) return text.includes('!{')
  return true
}

/** In these files `tools` narrows permissions; in those of other agents it grants them. */
const isClaudeFile = (path: string): boolean => /(?:^|\/)\.claude\//i.test(path)

function markdownRunsCode(text: string, toolsNarrow: boolean): boolean {
  // Commands that the agent runs before the model sees their output: !`git status`, ```! and !{git status}.
  if (/!`|!\{|(?:(?<!`)`{3,}|(?<!~)~{3,})[ \t]*!/.test(text)) return true
  // Some agents accept blank lines or a byte order mark before the front matter.
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
    // The agent may parse front matter less strictly.
    return true
  }
}
