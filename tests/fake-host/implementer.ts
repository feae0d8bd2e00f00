/** The contract to be implemented, with what all of the fake host's answers share. */
import { implement } from '@orpc/server'
import { answerToFailure } from '../../src/main/rpc/failure-answers.ts'
import { contract } from '../../src/shared/contract/index.ts'
import { FailureError } from '../../src/shared/failure.ts'
import type { Memory } from './memory.ts'

export type Implementer = ReturnType<typeof createImplementer>

/** Each call is noted, with its input as the contract reads it; a FailureError is answered as by the app. */
export function createImplementer({ calls, given }: Pick<Memory, 'calls' | 'given'>) {
  return implement(contract)
    .$config({ initialInputValidationIndex: Number.NEGATIVE_INFINITY })
    .use(async ({ next, path }, input) => {
      const called = path.join('.')
      calls.push({ path: called, input })
      try {
        await given.before?.(called)
        return await next()
      } catch (error) {
        throw answered(error)
      }
    })
}

/** What a feed throws once it runs does not pass through the middleware of its call. */
export async function* withAnswers<Event>(feed: AsyncGenerator<Event>): AsyncGenerator<Event> {
  try {
    yield* feed
  } catch (error) {
    throw answered(error)
  }
}

const answered = (error: unknown): unknown =>
  error instanceof FailureError ? answerToFailure(error) : error
