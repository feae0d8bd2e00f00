import { Worker } from 'node:worker_threads'
import { untilAborted } from '../../../../shared/async/until-aborted.ts'
import { messageOf } from '../../../../shared/error-message.ts'
import { ToolError } from '../tool.ts'
import { type LineMatch, type Matcher, type MatcherOptions, searchTimedOut } from './matcher.ts'

// A string, so that it works in the sources and in the bundle, which has no file for it.
const workerSource = `
const { parentPort, workerData } = require('node:worker_threads')
const pattern = new RegExp(workerData.pattern, workerData.flags)
parentPort.on('message', ({ texts, max }) => {
  const found = []
  for (const [text, lines] of texts.entries())
    for (let index = 0; index < lines.length && found.length < max; index++)
      if (pattern.test(lines[index])) found.push({ text, line: index + 1 })
  parentPort.postMessage(found)
})
`

/**
 * Matches JavaScript's regular expressions in a thread that can be stopped, because a pattern such as `(a+)+$` may never
 * finish. Throws `ToolError` for an invalid pattern.
 */
export function createLineMatcher(
  pattern: string,
  { ignoreCase, signal, timeLimit }: MatcherOptions,
): Matcher {
  const flags = ignoreCase ? 'i' : ''
  assertPattern(pattern, flags)
  const worker = new Worker(workerSource, {
    eval: true,
    workerData: { pattern, flags },
    // Without this process's options, so that no loader or inspector runs in the thread.
    execArgv: [],
  })
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => {})
  worker.on('error', stopped.reject)
  timeLimit.addEventListener('abort', () => stopped.reject(searchTimedOut()), { once: true })

  return {
    async narrow(files) {
      return files.map(({ path }) => path)
    },
    match(texts, max) {
      const answered = new Promise<LineMatch[]>((resolve) => worker.once('message', resolve))
      worker.postMessage({ texts, max })
      return untilAborted(Promise.race([answered, stopped.promise]), signal)
    },
    async close() {
      await worker.terminate()
    },
  }
}

function assertPattern(pattern: string, flags: string): void {
  try {
    new RegExp(pattern, flags)
  } catch (error) {
    const reason = messageOf(error)
    throw new ToolError(`pattern: is not a regular expression: ${reason}`, error)
  }
}
