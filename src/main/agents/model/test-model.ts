/** Makes one short exchange with a model, to check that it works before an agent starts. */
import { generateText, tool } from 'ai'
import { z } from 'zod'
import type { ModelRef } from '../../../shared/agents/model-refs.ts'
import type { ModelTest } from '../../../shared/agents/provider-settings.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import { type ModelAccess, obstacleTo } from './access.ts'
import { failureOf } from './failures.ts'
import { openModel } from './providers.ts'

/** A local model may have to be loaded first. */
const timeoutMs = 120_000
const answerCharsMax = 200

/** Never rejects. Costs a few hundred tokens. */
export async function testModel(
  ref: ModelRef,
  access: ModelAccess,
  clock: () => number = Date.now,
): Promise<ModelTest> {
  const obstacle = await obstacleTo(ref, access)
  if (obstacle) return { outcome: 'failed', why: formatCause(obstacle) }
  const startedMs = clock()
  try {
    const { model } = await openModel(ref, access)
    const { text, toolCalls } = await generateText({
      model,
      prompt:
        'This is a connection test. Call the tool `report_ready` with the word "ready", and say nothing else.',
      tools: {
        report_ready: tool({
          description: 'Says that the connection works.',
          inputSchema: z.object({ word: z.string() }),
        }),
      },
      maxOutputTokens: 1000,
      maxRetries: 0,
      abortSignal: AbortSignal.timeout(timeoutMs),
    })
    return {
      outcome: 'ok',
      answer: text.trim().slice(0, answerCharsMax),
      ms: clock() - startedMs,
      callsTools: toolCalls.some(
        ({ toolName, invalid }) => toolName === 'report_ready' && !invalid,
      ),
      // Read after the answer, because some servers report the window only of loaded models.
      contextTokens: (await access.contextWindow?.(ref))?.tokens ?? null,
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      return { outcome: 'failed', why: `no answer within ${timeoutMs / 1000} seconds` }
    return { outcome: 'failed', why: formatCause(failureOf(error).cause) }
  }
}
