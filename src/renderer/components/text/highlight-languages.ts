/** The languages that are highlighted; all others are shown plain. */
const languageNames: Record<string, string> = {
  bash: 'bash',
  c: 'c',
  'c++': 'cpp',
  cpp: 'cpp',
  css: 'css',
  diff: 'diff',
  go: 'go',
  html: 'html',
  java: 'java',
  javascript: 'javascript',
  js: 'javascript',
  json: 'json',
  jsx: 'jsx',
  markdown: 'markdown',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  php: 'php',
  py: 'python',
  python: 'python',
  rb: 'ruby',
  rs: 'rust',
  ruby: 'ruby',
  rust: 'rust',
  sh: 'bash',
  shell: 'bash',
  sql: 'sql',
  toml: 'toml',
  ts: 'typescript',
  tsx: 'tsx',
  typescript: 'typescript',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'bash',
}

/** Highlighting longer code takes too long. */
const highlightCharsMax = 60_000

/** Returns null if the code is shown plain. */
export function languageOf(name: string | null, code: string): string | null {
  if (!name || code.length > highlightCharsMax) return null
  return Object.hasOwn(languageNames, name.toLowerCase())
    ? (languageNames[name.toLowerCase()] ?? null)
    : null
}

/** The language of a file by its name; null: it has no extension. */
export const languageOfPath = (path: string): string | null => /\.(\w+)$/.exec(path)?.[1] ?? null

/** A run of text in one color; null: the color of the text around it. */
export type Token = [text: string, colour: string | null]
export interface HighlightRequest {
  id: number
  code: string
  language: string
}
export interface HighlightAnswer {
  id: number
  /** Null if it could not be highlighted. */
  lines: Token[][] | null
}
