/** Reads the YAML at the head of a Markdown file, and the text below it. */
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
    // Aliases are useless here, and a few of them can expand to gigabytes.
    matter(file, { strip: true, yaml: { maxAliasCount: 0, stringKeys: true, logLevel: 'error' } })
  } catch (error) {
    throw new Error(
      `has front matter that is not valid YAML: ${firstLine((error as Error).message)}`,
    )
  }
  if (String(file.value) === text)
    throw new Error('has front matter without an end: a second line "---"')
  return { matter: file.data.matter, body: String(file.value).trim() }
}

/** Messages of the parser quote the file, which may contain hidden characters. */
function firstLine(message: string): string {
  const [line = ''] = message.split('\n')
  return visibleText(line.slice(0, quotedCharsMax)).trim()
}

const quotedCharsMax = 160
