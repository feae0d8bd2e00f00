import { useEffect, useMemo, useState } from 'react'
import { highlight, keptHighlight } from './highlight.ts'
import { languageOf, type Token } from './highlight-languages.ts'

/**
 * Code, highlighted once the worker has answered; plain until then and for unknown languages. `language` is a name as in
 * a fence of Markdown.
 */
export function HighlightedCode({ code, language }: { code: string; language: string | null }) {
  const known = languageOf(language, code)
  const lines = useHighlight(known, code)
  return lines ? <Lines lines={lines} /> : code
}

function useHighlight(language: string | null, code: string): Token[][] | null {
  const kept = useMemo(() => (language ? keptHighlight(language, code) : null), [language, code])
  const [answered, setAnswered] = useState<{ code: string; lines: Token[][] | null } | null>(null)
  useEffect(() => {
    if (!language || kept) return
    let wanted = true
    highlight(language, code).then((lines) => wanted && setAnswered({ code, lines }))
    return () => {
      wanted = false
    }
  }, [language, code, kept])
  return kept ?? (answered?.code === code ? answered.lines : null)
}

function Lines({ lines }: { lines: Token[][] }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is its position
    <span key={index}>
      {line.map(([text, colour], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: so is a token
        <span key={at} style={colour ? { color: colour } : undefined}>
          {text}
        </span>
      ))}
      {index < lines.length - 1 ? '\n' : ''}
    </span>
  ))
}
