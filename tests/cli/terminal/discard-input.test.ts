/** What was typed before a question was shown does not answer it. */
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { discardInput } from '../../../src/main/hosts/cli/terminal/discard-input.ts'

function terminal() {
  const modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  })
  return { stdin, modes }
}

const { signal } = new AbortController()

it('discards what is waiting and what arrives meanwhile, and nothing after that', async () => {
  const { stdin, modes } = terminal()
  stdin.write('y\ny\n')
  const discarded = discardInput(stdin, { ms: 50, signal, onInterrupt: () => {} })
  stdin.write('y')
  expect(modes).toEqual([true])
  await discarded
  expect(modes).toEqual([true, false])
  stdin.write('n\n')
  await delay(1)
  expect(stdin.read()?.toString()).toBe('n\n')
})

it('passes Ctrl-C on, which is no signal in raw mode', async () => {
  const { stdin } = terminal()
  let interrupts = 0
  stdin.write('y\x03')
  await discardInput(stdin, { ms: 20, signal, onInterrupt: () => void interrupts++ })
  expect(interrupts).toBe(1)
})

it('restores the terminal when its question is withdrawn', async () => {
  const { stdin, modes } = terminal()
  const withdrawn = new AbortController()
  const discarded = discardInput(stdin, {
    ms: 60_000,
    signal: withdrawn.signal,
    onInterrupt: () => {},
  })
  withdrawn.abort()
  await expect(discarded).rejects.toThrow('aborted')
  expect(modes).toEqual([true, false])
})

it('discards what is read only after its time is over, since the process was stopped or busy', async () => {
  const { stdin } = terminal()
  const discarded = discardInput(stdin, { ms: 20, signal, onInterrupt: () => {} })
  // Node runs the timers that are due before it reads.
  setTimeout(() => stdin.write('y\n'), 20)
  await discarded
  await delay(1)
  expect(stdin.read()).toBeNull()
})
