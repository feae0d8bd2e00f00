/** The YAML at the head of a Markdown file, and the text below it. */
import { VFile } from 'vfile'
import { matter } from 'vfile-matter'
import { visibleText } from '../../../shared/text/shown-text.ts'

export interface MarkdownFile {
  /** Parsed YAML, of any shape. */
  matter: unknown
  body: string
}

/** Throws an Error with the reason. */
export function readFrontMatter(text: string): MarkdownFile {
  if (!/^---\r?\n/.test(text)) throw new Error('does not begin with front matter: a line "---"')
  const file = new VFile(text)
  try {
    // Nobody needs an alias here, and a few of them can expand to gigabytes.
    matter(file, { strip: true, yaml: { maxAliasCount: 0, stringKeys: true, logLevel: 'error' } })
  } catch (error) {
    throw new Error(`has front matter that is no YAML: ${firstLine((error as Error).message)}`)
  }
  if (String(file.value) === text)
    throw new Error('has front matter without an end: a second line "---"')
  return { matter: file.data.matter, body: String(file.value).trim() }
}

/** A message quotes the file, which may hold anything. */
function firstLine(message: string): string {
  const [line = ''] = message.split('\n')
  return visibleText(line.slice(0, quotedCharsMax)).trim()
}

const quotedCharsMax = 160
