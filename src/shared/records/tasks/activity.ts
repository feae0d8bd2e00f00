/** What a running agent is doing now, and its text. */

import { z } from 'zod'

/** The agent was asked to end with a report (Q3). */
const wrapsUp = z.literal(true).optional()

/** `waiting`: the agent starts, or continues, once a slot is free (T5). */
export const activitySchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('waiting'), wrapsUp }),
  z.object({
    state: z.literal('working'),
    wrapsUp,
    text: z.string(),
    /** The agent waits for its sub-agents. */
    awaits: z.literal(true).optional(),
    /** The agent's process has been started and has not yet begun its session. */
    starts: z.literal(true).optional(),
    /** The agent waits until then before its next request to the model, in milliseconds since the epoch. */
    retriesAt: z.number().optional(),
    /** The agent's last event, in milliseconds since the epoch. Set only once it has been silent for long. */
    silentSince: z.number().optional(),
  }),
  /** The agent waits for a user's answer. */
  z.object({ state: z.literal('asking'), wrapsUp }),
  /** The budget of its tree is used up, and the user has to decide (Q2). */
  z.object({ state: z.literal('paused') }),
])
export type Activity = z.infer<typeof activitySchema>

/** Returns null for an unknown activity: each caller has its own text for that. */
export const activityLine = (activity: Activity | null): string | null =>
  activity && activityText(activity)

export function activityText(activity: Activity): string {
  const text = activity.state === 'working' ? activity.text : waitingTexts[activity.state]
  return isWrappingUp(activity) ? `Wrapping up · ${text}` : text
}

export const isWrappingUp = (activity: Activity): boolean =>
  activity.state !== 'paused' && activity.wrapsUp === true

const waitingTexts = {
  waiting: 'Waiting for a slot',
  asking: 'Waiting for your answer',
  paused: 'Paused: a limit is reached',
}
