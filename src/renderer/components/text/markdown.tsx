/**
 * Markdown from agents: untrusted. Raw HTML, images and unsafe links are shown as text, and nothing
 * is fetched. Streaming closes open syntax, so that half a table looks like one.
 */
import { isValidElement, memo, type ReactNode } from 'react'
import { type Components, defaultRemarkPlugins, Streamdown } from 'streamdown'
import { externalLink, misleadingHost } from '../../../shared/text/external-link.ts'
import { CodeBlock } from './code-block.tsx'
import { evenHeadings } from './even-headings.ts'
import { ExternalLink } from './external-link.tsx'
import { literalHtml } from './literal-html.ts'

const remarkPlugins = [...Object.values(defaultRemarkPlugins), literalHtml, evenHeadings]

/** Bare elements, styled by `.markdown` in markdown.css. */
const components: Components = {
  a: ({ href, children }) => {
    const url = externalLink(href)
    const host = url && misleadingHost(textOf(children), url)
    if (url)
      return (
        <ExternalLink url={url}>
          {children}
          {host ? ` (${host})` : null}
        </ExternalLink>
      )
    return (
      <span title={typeof href === 'string' ? `Not opened: ${href}` : undefined}>{children}</span>
    )
  },
  img: ({ src, alt }) => {
    const url = externalLink(src)
    const name = alt ? `image: ${alt}` : 'image'
    return url ? <ExternalLink url={url}>{name}</ExternalLink> : <span>[{name}]</span>
  },
  pre: ({ children }) => {
    const code = isValidElement<CodeProps>(children) ? children.props : {}
    const language = /language-(\S+)/.exec(code.className ?? '')?.[1] ?? null
    return <CodeBlock code={textOf(code.children).replace(/\n$/, '')} language={language} />
  },
  code: ({ children }) => <code>{children}</code>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <figure className="markdown-table" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </figure>
  ),
  thead: ({ children }) => <thead>{children}</thead>,
  tbody: ({ children }) => <tbody>{children}</tbody>,
  tr: ({ children }) => <tr>{children}</tr>,
  th: ({ children, style }) => <th style={style}>{children}</th>,
  td: ({ children, style }) => <td style={style}>{children}</td>,
  p: ({ children }) => <p dir="auto">{children}</p>,
  strong: ({ children }) => <strong>{children}</strong>,
  ul: ({ children }) => <ul dir="auto">{children}</ul>,
  ol: ({ children, start }) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  li: ({ children, className }) => <li className={className}>{children}</li>,
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  hr: () => <hr />,
  // The window itself uses h1 and h2.
  h1: ({ children }) => heading('h3', children),
  h2: ({ children }) => heading('h4', children),
  h3: ({ children }) => heading('h5', children),
  h4: ({ children }) => heading('h6', children),
  h5: ({ children }) => heading('h6', children),
  h6: ({ children }) => heading('h6', children),
  sup: ({ children }) => <sup>{children}</sup>,
  sub: ({ children }) => <sub>{children}</sub>,
  section: ({ children }) => <div>{children}</div>,
  input: ({ checked }) => (
    <input type="checkbox" aria-label={checked ? 'Done' : 'Not done'} checked={checked} disabled />
  ),
}

/** `streaming`: more text will follow. */
export const Markdown = memo(function Markdown(props: {
  text: string
  streaming?: boolean
  className?: string
}) {
  const { text, streaming = false, className } = props
  return (
    <Streamdown
      mode={streaming ? 'streaming' : 'static'}
      className={`markdown untrusted ${className ?? ''}`}
      components={components}
      controls={false}
      linkSafety={linkSafety}
      rehypePlugins={none}
      remarkPlugins={remarkPlugins}
      urlTransform={keepUrl}
    >
      {text}
    </Streamdown>
  )
})

interface CodeProps {
  className?: string
  children?: ReactNode
}

const none: never[] = []
// Links are checked by `externalLink` where they are shown.
const linkSafety = { enabled: false }
const keepUrl = (url: string): string => url

function heading(Level: 'h3' | 'h4' | 'h5' | 'h6', children: ReactNode) {
  return <Level dir="auto">{children}</Level>
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(textOf).join('')
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : ''
}
