import { describe, expect, it } from 'vitest'
import {
  hiddenCharacterIn,
  shownCommand,
  visibleJson,
  visibleText,
} from '../../../src/shared/text/shown-text.ts'

const textOf = (command: string) =>
  shownCommand(command)
    .lines.map((line) => line.map((piece) => piece.text).join(''))
    .join('\n')

/** What can hide a part of a command, and how it is shown. `null`: it is only shown, not refused. */
const hostile: [name: string, command: string, shown: string, refused: string | null][] = [
  ['a title sequence', 'true npm ci \x1b]0;./x;\x07', 'true npm ci ␛]0;./x;␇', 'U+001B on line 1'],
  ['a cursor movement', 'rm -rf x\x1b[2K\rnpm ci', 'rm -rf x␛[2K␍npm ci', 'U+001B on line 1'],
  ['a C1 control', 'npm\x9b31m ci', 'npm<U+009B>31m ci', 'U+009B on line 1'],
  ['a backspace', 'evil\b\b\b\bnpm ci', 'evil␈␈␈␈npm ci', 'U+0008 on line 1'],
  ['a NUL', 'npm ci\0./x', 'npm ci␀./x', 'U+0000 on line 1'],
  ['an override', 'npm ci\n# \u202e;live/.', 'npm ci\n# <U+202E>;live/.', 'U+202E on line 2'],
  ['an isolate', 'a \u2066b\u2069', 'a <U+2066>b<U+2069>', 'U+2066 on line 1'],
  ['a direction mark', 'a\u200fb', 'a<U+200F>b', 'U+200F on line 1'],
  ['an Arabic letter mark', 'a\u061cb', 'a<U+061C>b', 'U+061C on line 1'],
  ['a zero-width space', 'np\u200bm ci', 'np<U+200B>m ci', 'U+200B on line 1'],
  ['a word joiner', 'np\u2060m', 'np<U+2060>m', 'U+2060 on line 1'],
  ['a byte order mark', '\ufeffnpm', '<U+FEFF>npm', 'U+FEFF on line 1'],
  ['a soft hyphen', 'np\u00adm', 'np<U+00AD>m', 'U+00AD on line 1'],
  ['a Hangul filler', 'np\u3164m', 'np<U+3164>m', 'U+3164 on line 1'],
  ['a tag', 'npm\u{e0041}', 'npm<U+E0041>', 'U+E0041 on line 1'],
  ['a variation selector', 'npm\u{e0100}', 'npm<U+E0100>', 'U+E0100 on line 1'],
  ['a line separator', 'npm\u2028ci', 'npm<U+2028>ci', 'U+2028 on line 1'],
  ['a lone surrogate', 'npm\ud800', 'npm<U+D800>', 'U+D800 on line 1'],
  ['joined emoji', 'echo 👩‍👧', 'echo 👩<U+200D>👧', 'U+200D on line 1'],
  ['a no-break space', 'npm\u00a0ci', 'npm<U+00A0>ci', null],
  ['an ideographic space', 'npm\u3000ci', 'npm<U+3000>ci', null],
  ['a blank of Braille', 'npm\u2800ci', 'npm<U+2800>ci', null],
  ['a private character', 'npm \ue000', 'npm <U+E000>', null],
  ['an emoji in colour', 'echo ⚠️', 'echo ⚠<U+FE0F>', null],
  ['nothing odd', 'npm ci\n\tmake "größe" 日本 🎉', 'npm ci\n\tmake "größe" 日本 🎉', null],
]

describe('a command to be allowed', () => {
  it.each(hostile)('[K6] shows %s and loses nothing', (_, command, shown) => {
    expect(textOf(command)).toBe(shown)
  })

  it.each(hostile)('[K6] judges %s in what a repository brings', (_, command, _shown, refused) => {
    expect(hiddenCharacterIn(command)).toBe(refused)
  })

  it('[K6] states what makes it hard to read', () => {
    expect(shownCommand('npm ci').notes).toEqual([])
    expect(shownCommand(`npm ci${'\n'.repeat(41)}./x`).notes.join(' ')).toMatch(
      /42 lines long.*40 blank lines in a row/,
    )
    expect(shownCommand(`npm ci${' '.repeat(300)}; ./x`).notes.join(' ')).toContain('300 spaces')
    expect(shownCommand(`npm ci${'\u3000'.repeat(60)}; ./x`).notes.join(' ')).toContain('60 spaces')
    expect(shownCommand(`echo ${'x'.repeat(900)}`).notes.join(' ')).toContain('905 characters')
    expect(shownCommand('a\u200bb').notes.join(' ')).toContain('One character')
    expect(shownCommand('rm שלום x').notes.join(' ')).toContain('right-to-left')
  })

  it('shows a command of any number of lines', () => {
    const { lines, notes } = shownCommand('ls\n'.repeat(200_000))
    expect(lines.length).toBe(200_000)
    expect(notes).toEqual(['It is 200000 lines long: read it to its end.'])
  })

  it('marks the pieces that represent a hidden character, so that a typed code differs from them', () => {
    expect(shownCommand('<U+202E>\u202e').lines).toEqual([
      [
        { text: '<U+202E>', hidden: false },
        { text: '<U+202E>', hidden: true },
      ],
    ])
  })
})

describe('text for reading', () => {
  it.each([
    ['an escape sequence', 'a\x1b]0;title\x07b', 'a␛]0;title␇b'],
    ['a C1 control', 'c\x9b31md', 'c<U+009B>31md'],
    [
      'zero-width and direction marks',
      'a\u200bb\u200ec\u200fd\ufeffe',
      'a<U+200B>b<U+200E>c<U+200F>d<U+FEFF>e',
    ],
    ['an override', 'f\u202eg', 'f<U+202E>g'],
    ['tags', 'x\u{e0041}\u{e0042}', 'x<U+E0041><U+E0042>'],
    ['a joiner between Latin letters', 'a\u200db', 'a<U+200D>b'],
    ['a selector after a digit', '1\ufe0f', '1<U+FE0F>'],
  ])('[V4] shows %s', (_, text, shown) => expect(visibleText(text)).toBe(shown))

  it.each([
    ['emoji sequences', '👩‍👩‍👧 ⚠️ 1️⃣ 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🇫🇷 ❤️'],
    ['right-to-left words', 'שלום עולם مرحبا'],
    ['joiners of Persian and Hindi', 'می\u200cخواهم क्\u200dष'],
    ['variants of ideographs', '葛\u{e0100}'],
    ['lines, tabs and no-break spaces', 'a\n\tb\u00a0c'],
  ])('[V4] leaves %s', (_, text) => expect(visibleText(text)).toBe(text))

  it('[V4] keeps a JSON document one, with the same meaning', () => {
    const value = { a: 'x\u202e\x9b\u{e0041}\u200b', b: '👩‍👩‍👧' }
    const json = visibleJson(JSON.stringify(value))
    expect(json).toBe('{"a":"x\\u202e\\u009b\\udb40\\udc41\\u200b","b":"👩‍👩‍👧"}')
    expect(JSON.parse(json)).toEqual(value)
  })
})

it.each([
  ['Cyrillic', 'npm \u0441i', 'several alphabets'],
  ['Greek', 'n\u03c1m ci', 'several alphabets'],
  ['Armenian', 'curl https://\u0581ithub.com', 'several alphabets'],
  [
    'a host of Cyrillic letters',
    'curl https://\u0430\u0440\u0440\u04cf\u0435.com/x',
    'not of the Latin',
  ],
  ['such a host after a user', 'ssh git@\u0430\u0440\u0440.com:x', 'not of the Latin'],
  ['a slash of division', 'curl https://github.com\u2044@evil.example/', 'are others'],
  ['full-width letters', 'npm \uff43\uff49', 'are others'],
  ['a dash that is no hyphen', 'rm \u2013rf x', 'are others'],
  ['a flood of accents', `npm e${'\u0301'.repeat(20)} ci`, 'many accents'],
])('[K6] says of a command that it has %s in it', (_, command, note) => {
  expect(shownCommand(command).notes.join(' ')).toContain(note)
})

it.each([
  'echo Привет',
  'git commit -m "Don’t fail – retry"',
  'echo テスト test',
  'cat файл.txt',
  'echo "Καλημέρα" && npm ci',
  'echo tiếng Việt',
  'echo e\u0301',
])('[K6] says nothing of %s', (command) => {
  expect(shownCommand(command).notes).toEqual([])
})

it.each(['@', 'git@a', '@é', 'é@', '://é', '–a', 'aбв'])(
  '[K6] looks at 100 kB of %j in no time that anybody notices',
  (text) => {
    const begun = process.cpuUsage()
    shownCommand(text.repeat(100_000 / text.length))
    shownCommand(`@${text.repeat(100_000 / text.length)}`)
    expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000)
  },
)
