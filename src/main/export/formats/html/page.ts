/** The document around the transcript: no scripts or external resources, both themes, and print styles. */
import { hash } from 'node:crypto'
import { escaped } from './elements.ts'

const style = `
:root { color-scheme: light dark; --ink: #1c1e21; --muted: #5c6370; --line: #d9dce1; --soft: #f4f5f7; --add: #dff3e4; --del: #fbe3e4; --accent: #1f5fbf; --bad: #a3232b; --canvas: #fff }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e4e6ea; --muted: #a0a7b4; --line: #363b44; --soft: #20242b; --add: #17371f; --del: #47191d; --accent: #8ab4f8; --bad: #ff9aa0; --canvas: #16191e } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 24px 20px 64px; max-width: 920px; background: var(--canvas); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 24px; line-height: 1.25 } h2 { font-size: 16px; margin: 28px 0 4px } h3 { font-size: 15px; margin: 22px 0 4px } h1, h2, h3 { font-weight: 600 }
.contents { margin: 0 0 20px; padding: 10px 12px 10px 28px; background: var(--soft); border: 1px solid var(--line); border-radius: 6px } .contents ul { padding-left: 18px }
.meta { color: var(--muted); font-size: 13px; font-weight: 400; margin: 0 0 8px; text-decoration: none }
.note { color: var(--muted); font-style: italic }
.prompt { border-left: 3px solid var(--accent); padding: 1px 14px; background: var(--soft) }
.child { margin: 20px 0; padding: 8px 18px; border: 1px solid var(--line); border-radius: 6px }
.prose > :first-child { margin-top: 6px } .prose table { border-collapse: collapse; display: block; overflow-x: auto }
.prose td, .prose th { border: 1px solid var(--line); padding: 4px 8px }
a { color: var(--accent) }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow-x: auto; white-space: pre-wrap }
pre, code { font: 13px/1.5 ui-monospace, monospace } ins, del { display: inline-block; width: 100%; text-decoration: none } ins { background: var(--add) } del { background: var(--del) }
details, .call { margin: 6px 0 } summary { cursor: pointer } .failed { color: var(--bad) }
img { max-width: 100%; height: auto; border: 1px solid var(--line) }
@media print { :root { color-scheme: light } body { max-width: none; padding: 0; font-size: 11pt } pre { white-space: pre-wrap } h2 { break-after: avoid } details::details-content { content-visibility: visible; block-size: auto } .prose a[href^="http"]::after { content: " (" attr(href) ")" } }
`

/** Content security policy: allows the one style element and inline images, and nothing else. */
const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; img-src data:; base-uri 'none'; form-action 'none'`

export const pageBegin = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
`

export const pageEnd = '</body>\n</html>\n'
