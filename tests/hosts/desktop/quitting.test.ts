import { expect, it } from 'vitest'
import { createQuitting } from '../../../src/main/hosts/desktop/quitting.ts'

interface Setup {
  running?: string[]
  answer?: Promise<boolean> | boolean
  close?: () => Promise<void>
  closeMsMax?: number
}

function setUp({ running = [], answer = true, close, closeMsMax = 10_000 }: Setup) {
  const log: string[] = []
  const quitting = createQuitting({
    running: () => running,
    async ask(titles) {
      log.push(`ask ${titles.join(', ')}`)
      return answer
    },
    async close() {
      log.push('close')
      await close?.()
    },
    leave(problem) {
      log.push(problem ? `leave: ${problem.message}` : 'leave')
    },
    closeMsMax,
  })
  return { quitting, log }
}

it('closes and exits without a question if no agent is running', async () => {
  const { quitting, log } = setUp({})
  await quitting.begin('ask')
  expect(log).toEqual(['close', 'leave'])
  expect(quitting.isOver()).toBe(true)
})

it('asks if agents are running, and exits once that is confirmed', async () => {
  const { quitting, log } = setUp({ running: ['Lead', 'Tests'] })
  await quitting.begin('ask')
  expect(log).toEqual(['ask Lead, Tests', 'close', 'leave'])
})

it('continues if the user cancels, and asks again the next time', async () => {
  const { quitting, log } = setUp({ running: ['Lead'], answer: false })
  await quitting.begin('ask')
  await quitting.begin('ask')
  expect(log).toEqual(['ask Lead', 'ask Lead'])
  expect(quitting.isOver()).toBe(false)
})

it('asks and closes once, however often quit is requested', async () => {
  const answer = Promise.withResolvers<boolean>()
  const { quitting, log } = setUp({ running: ['Lead'], answer: answer.promise })
  const first = quitting.begin('ask')
  const second = quitting.begin('ask')
  answer.resolve(true)
  await Promise.all([first, second])
  await quitting.begin('without-asking')
  expect(log).toEqual(['ask Lead', 'close', 'leave'])
})

it('treats a signal as the answer to an open question', async () => {
  const answer = Promise.withResolvers<boolean>()
  const { quitting, log } = setUp({ running: ['Lead'], answer: answer.promise })
  const asking = quitting.begin('ask')
  await quitting.begin('without-asking')
  answer.resolve(false)
  await asking
  expect(log).toEqual(['ask Lead', 'close', 'leave'])
})

it('exits if closing fails, and reports it', async () => {
  const { quitting, log } = setUp({ close: () => Promise.reject(new Error('disk full')) })
  await quitting.begin('ask')
  expect(log).toEqual(['close', 'leave: disk full'])
})

it('exits if closing never ends', async () => {
  const { quitting, log } = setUp({ close: () => new Promise(() => {}), closeMsMax: 5 })
  await quitting.begin('ask')
  expect(log.at(-1)).toMatch(/^leave: not everything was closed within 5 ms$/)
})
