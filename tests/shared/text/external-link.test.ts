import { describe, expect, it } from 'vitest'
import { externalLink, misleadingHost } from '../../../src/shared/text/external-link.ts'

describe('a link that an agent wrote', () => {
  it.each([
    'https://example.com/a?b#c',
    'http://example.com/',
    'http://127.0.0.1:3000/',
    'https://example.com/@someone',
    'https://example.com/?to=a@b',
  ])('[V4] opens %s', (href) => expect(externalLink(href)).toBe(href))

  it.each([
    ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'data:text/html,x'],
    ...['file:///etc/passwd', 'shiplog://t/1', 'smb://server/share', 'mailto:a@example.org'],
    ...['vscode://file/etc/passwd', '//example.com', '/a', 'a', 'not a link', '', null, undefined],
    ...['https://github.com@evil.example/', 'https://a:b@example.org/', 'https://@evil.example/'],
    ...['https:/\\github.com@evil.example', 'HTTPS:github.com@evil.example'],
    `https://example.org/${'a'.repeat(3_000)}`,
  ])('[V4] is text when it leads to %s', (href) => expect(externalLink(href)).toBeNull())

  it.each([
    ['https://github.com/login', 'https://evil.example/', 'evil.example'],
    ['github.com', 'https://evil.example/', 'evil.example'],
    ['see www.github.com.', 'https://evil.example:8443/x', 'evil.example:8443'],
    ['https://github.com@evil.example', 'https://other.example/', 'other.example'],
    ['127.0.0.1:3000', 'https://evil.example/', 'evil.example'],
    ['gіthub.com', 'https://github.com/', 'github.com'],
  ])('[V4] with the text %s and the address %s shows %s', (text, address, host) => {
    expect(misleadingHost(text, address)).toBe(host)
  })

  it.each([
    ['the docs', 'https://evil.example/'],
    ['https://github.com/a', 'https://github.com/b'],
    ['github.com', 'https://www.github.com/'],
    ['README.md', 'https://readme.md/'],
    ['Version 1.2.3', 'https://example.com/'],
    ['müller.example', 'https://xn--mller-kva.example/'],
  ])('[V4] with the text %s and the address %s needs none', (text, address) => {
    expect(misleadingHost(text, address)).toBeNull()
  })
})
