import { useCallback, useEffect, useState } from 'react'
import type { ResumeCandidate, ResumeSelector } from '../../../shared/records/resume.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import type { PlannedAgent } from './choices.ts'

interface ResumePlan {
  /** The agents that would be resumed; null until the host has listed them. */
  agents: PlannedAgent[] | null
  /** How many of them were checked for changes. */
  checked: number
  /** Every one of them was checked. */
  complete: boolean
  problem: Problem | null
}

const nothing: ResumePlan = { agents: null, checked: 0, complete: false, problem: null }

/** Lists the agents that would be resumed, and adds what changed for each as the host reports it. */
export function useResumePlan(
  selector: ResumeSelector,
  found: ResumeCandidate[] | undefined,
): ResumePlan & { checkAgain(): void } {
  const { client } = useStores()
  const [attempt, setAttempt] = useState(0)
  const [plan, setPlan] = useState<ResumePlan>(
    found ? { agents: found, checked: found.length, complete: true, problem: null } : nothing,
  )
  const known = found !== undefined && attempt === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: another `attempt` repeats the request
  useEffect(() => {
    if (known) return
    const controller = new AbortController()
    const { signal } = controller
    setPlan(nothing)
    const read = async () => {
      try {
        const events = await client.feed.resumePlan({ selector }, { signal })
        for await (const event of events) {
          if (signal.aborted) return
          setPlan((before) =>
            event.type === 'agents'
              ? {
                  ...before,
                  agents: event.agents.map((agent) => ({ ...agent, drift: null, obstacle: null })),
                }
              : withChecked(before, event.candidate),
          )
        }
        if (!signal.aborted) setPlan((before) => ({ ...before, complete: true }))
      } catch (error) {
        if (!signal.aborted)
          setPlan((before) => ({ ...before, problem: problemOf(error, 'check what changed') }))
      }
    }
    void read()
    return () => controller.abort()
  }, [client, selector, known, attempt])
  return { ...plan, checkAgain: useCallback(() => setAttempt((before) => before + 1), []) }
}

const withChecked = (plan: ResumePlan, candidate: ResumeCandidate): ResumePlan => ({
  ...plan,
  agents:
    plan.agents?.map((agent) => (agent.taskId === candidate.taskId ? candidate : agent)) ?? null,
  checked: plan.checked + 1,
})
