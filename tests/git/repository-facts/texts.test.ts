import { expect, it } from 'vitest'
import type { RunGit } from '../../../src/main/git/command/run-git.ts'
import { readTexts } from '../../../src/main/git/repository/texts.ts'

const id = (digit: string) => digit.repeat(40)

/** Answers the question for sizes, then that for contents. */
function gitThatSays(sizes: string, contents: string): RunGit {
  const answers = [sizes, contents]
  const run = async () => ({
    exitCode: 0,
    stderr: '',
    truncated: false,
    stdout: Buffer.from(answers.shift() ?? ''),
  })
  return Object.assign(run, {}) as unknown as RunGit
}

const namesAndTexts = (texts: Map<string, Buffer>) =>
  [...texts].map(([name, text]) => [name, text.toString()])

it('keeps each text with its name when an object goes between the two questions', async () => {
  const [a, b, c] = [id('a'), id('b'), id('c')]
  const git = gitThatSays(
    `${a} blob 3\n${b} blob 3\n${c} blob 5\n`,
    `${a} blob 3\none\n${b} missing\n${c} blob 5\nth\nee\n`,
  )
  const texts = await readTexts(git, { dir: '/', names: [a, b, c], bytesMax: 100 })
  expect(namesAndTexts(texts)).toEqual([
    [a, 'one'],
    [c, 'th\nee'],
  ])
})

it('returns the received part of a truncated answer', async () => {
  const [a, b] = [id('a'), id('b')]
  const git = gitThatSays(`${a} blob 3\n${b} blob 3\n`, `${a} blob 3\none\n`)
  const texts = await readTexts(git, { dir: '/', names: [a, b], bytesMax: 100 })
  expect(namesAndTexts(texts)).toEqual([[a, 'one']])
})
