/** Asks the worker for colours and keeps the newest answers. One worker for the window. */
import type { HighlightAnswer, HighlightRequest, Token } from './highlight-languages.ts'

/** Enough for what is scrolled over in one sitting; the oldest go first. */
const answersKeptMax = 300

let worker: Worker | null = null
let lastId = 0
const waiting = new Map<number, (lines: Token[][] | null) => void>()
const kept = new Map<string, Token[][]>()

const keyOf = (language: string, code: string): string => `${language}\n${code}`

/** What is known already, so that a row that comes back is coloured at once. */
export const keptHighlight = (language: string, code: string): Token[][] | null =>
  kept.get(keyOf(language, code)) ?? null

/** `language`: from `languageOf`. Null where it can't be coloured. Never rejects. */
export function highlight(language: string, code: string): Promise<Token[][] | null> {
  worker ??= startWorker()
  lastId += 1
  const id = lastId
  const { promise, resolve } = Promise.withResolvers<Token[][] | null>()
  waiting.set(id, (lines) => {
    if (lines) keep(keyOf(language, code), lines)
    resolve(lines)
  })
  worker.postMessage({ id, code, language } satisfies HighlightRequest)
  return promise
}

function startWorker(): Worker {
  const started = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.lines)
    waiting.delete(data.id)
  })
  // Without a worker everything is shown plain, which is what it was before.
  started.addEventListener('error', () => {
    for (const answer of waiting.values()) answer(null)
    waiting.clear()
  })
  return started
}

function keep(key: string, lines: Token[][]): void {
  kept.delete(key)
  kept.set(key, lines)
  for (const oldest of kept.keys()) {
    if (kept.size <= answersKeptMax) break
    kept.delete(oldest)
  }
}
