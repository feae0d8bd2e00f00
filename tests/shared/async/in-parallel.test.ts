import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inParallel } from '../../../src/shared/async/in-parallel.ts'

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

it('passes on the values in the order of their arrival, and starts the next source when one has ended', async () => {
  const open = Promise.withResolvers<void>()
  async function* slow() {
    yield 'slow begins'
    await open.promise
    yield 'slow ends'
  }
  async function* quick(name: string) {
    yield name
  }
  async function* last() {
    open.resolve()
    yield 'last'
  }
  let running = 0
  async function* counted(one: AsyncGenerator<string>) {
    running++
    yield* one
    running--
  }
  const waiting = [slow(), quick('a'), quick('b'), last()]
  const seen = await collected(
    inParallel(() => {
      if (running >= 2) return 'wait'
      const next = waiting.shift()
      return next ? counted(next) : null
    }),
  )
  expect(seen).toEqual(['slow begins', 'a', 'b', 'last', 'slow ends'])
})

it('does not let a source that always has values starve the others', async () => {
  async function* three(name: string) {
    for (const nth of [1, 2, 3]) yield `${name}${nth}`
  }
  const waiting = [three('a'), three('b')]
  const seen = await collected(inParallel(() => waiting.shift() ?? null))
  expect(seen).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
})

it.each(['one of them throws', 'the caller stops'])('ends the others when %s', async (why) => {
  const ended: string[] = []
  async function* endless(name: string) {
    try {
      for (;;) {
        yield name
        await delay(1)
      }
    } finally {
      ended.push(name)
    }
  }
  async function* failing() {
    yield 'failing'
    if (why === 'one of them throws') throw new Error('it broke')
  }
  const waiting = [endless('a'), failing(), endless('b')]
  const all = inParallel(() => waiting.shift() ?? null)
  const run = (async () => {
    let seen = 0
    for await (const _ of all) if (why === 'the caller stops' && ++seen === 5) break
  })()
  if (why === 'one of them throws') await expect(run).rejects.toThrow('it broke')
  else await run
  expect(ended.toSorted()).toEqual(['a', 'b'])
})
