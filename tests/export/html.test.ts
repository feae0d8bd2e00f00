import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  diff,
  escaped,
  folded,
  markdown,
  pre,
} from '../../src/main/export/formats/html/elements.ts'
import { itemHtml } from '../../src/main/export/formats/html/items.ts'
import { pageBegin, pageEnd } from '../../src/main/export/formats/html/page.ts'
import type { TranscriptItem } from '../../src/shared/projections/transcript/transcript-items.ts'

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '![track](https://evil.example/pixel.png "t")',
  '![ref][r]\n\n[r]: https://evil.example/pixel.png',
  '[click](javascript:alert(1))',
  '<javascript:alert(1)>',
  '[x](data:text/html,<script>alert(1)</script>)',
  '"><svg onload=alert(1)>',
  '</pre></details></style><iframe src="https://evil.example">',
  '&lt;script&gt;',
  "' onmouseover='alert(1)",
  '<!-- --><base href="https://evil.example"><meta http-equiv=refresh content="0;url=https://evil.example">',
  '\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u202Egnp.exe',
]

/** What the format itself writes. */
const allowed = new Set(
  'div p pre code details summary ins del a em strong ul ol li h1 h2 h3 h4 h5 h6 blockquote table thead tbody tr th td hr br input sup section time span img html head meta title style body'.split(
    ' ',
  ),
)

function tagsOf(html: string): { name: string; attributes: string }[] {
  return [...html.matchAll(/<([a-z][a-z0-9]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>/gi)].map(
    ([, name = '', attributes = '']) => ({ name: name.toLowerCase(), attributes }),
  )
}

function expectInert(html: string) {
  for (const { name, attributes } of tagsOf(html)) {
    expect(allowed, `<${name}${attributes}>`).toContain(name)
    expect(attributes).not.toMatch(/\son\w+\s*=/i)
    const [, address] = /(?:href|src)="([^"]*)"/.exec(attributes) ?? []
    if (address !== undefined) expect(address).toMatch(/^(?:https?:\/\/|mailto:|#|data:image\/|$)/)
    if (name === 'img') expect(attributes).toContain('src="data:')
  }
  expect(html).not.toMatch(/[\u001b\u202e]/)
}

it.each(hostile)('[V4] is inert in every place of the page: %j', async (text) => {
  for (const html of [
    escaped(text),
    markdown(text),
    pre(text),
    diff(`@@ -1 +1 @@\n+${text}`),
    folded(escaped(text), pre(text)),
  ])
    expectInert(html)
  const at = '2026-11-21T08:00:00.000Z'
  const items: TranscriptItem[] = [
    {
      kind: 'prompt',
      key: 'k',
      seq: 1,
      text,
      images: [],
      toRunning: false,
      at,
      cwd: text,
      gitBranch: text,
    },
    { kind: 'note', key: 'k', seq: 2, about: 'message', text, at },
    { kind: 'plan', key: 'k', seq: 3, items: [{ text, status: 'pending' }], at },
    { kind: 'foreign', key: 'k', seq: 4, source: text, content: { [text]: text }, at },
    { kind: 'pr-link', key: 'k', seq: 5, url: text, at },
  ]
  for (const item of items)
    expectInert(await itemHtml(item, { imageData: async () => null, level: 2, anchors: '' }))
  expectInert(pageBegin(text) + pageEnd)
})

it('[V4] forbids scripts and requests by a policy that its own style satisfies', () => {
  const page = pageBegin('A title')
  const [, policy = ''] = /content="(default-src[^"]*)"/.exec(page) ?? []
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page) ?? []
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/)
  expect(policy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`)
  expect(policy).not.toMatch(/script-src|unsafe|https?:/)
})

it('keeps Markdown readable: code, tables and links', () => {
  const html = markdown(
    '# Title\n\n`a<b` and [docs](https://example.com)\n\n| a | b |\n|---|---|\n| 1 | 2 |',
  )
  for (const part of [
    '<h1>Title</h1>',
    '<code>a&lt;b</code>',
    'href="https://example.com"',
    '<table>',
  ])
    expect(html).toContain(part)
})

it('marks changed lines of a diff, and not the names of its files', () => {
  const html = diff('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+new\n same')
  expect(html).toContain('<del>--- old</del>')
  expect(html).toContain('<ins>+new</ins>')
  expect(html.match(/<(?:ins|del)>/g)).toHaveLength(2)
})

it('is dark text on white paper when printed, whatever the theme of the screen', () => {
  const [style = ''] = /<style>.*<\/style>/s.exec(pageBegin('Printed')) ?? []
  expect(style.match(/@media [^{]*prefers-color-scheme/g)).toEqual([
    '@media screen and (prefers-color-scheme',
  ])
  expect(style).toContain('@media print { :root { color-scheme: light }')
})
