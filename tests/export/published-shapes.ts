/** The shapes of others' formats, as they are published, written strictly: a field that they do not have is refused. */
import { z } from 'zod'

const extra = z.record(z.string(), z.unknown()).optional()
const count = z.number().int().min(0)

/**
 * Harbor's RFC 0001 as of ATIF-v1.7, compared with its pydantic models in `src/harbor/models/trajectories` (trajectory,
 * step, tool_call, observation_result, subagent_trajectory_ref, metrics, final_metrics), which forbid other fields. The
 * fields that the export never writes are left out: parts of messages, `llm_call_count`, `is_copied_context`, token ids
 * and `logprobs`, `tool_definitions`, `extra` of calls and results.
 */
const atifStep = z
  .strictObject({
    step_id: z.number().int().min(1),
    timestamp: z.iso.datetime().optional(),
    source: z.enum(['system', 'user', 'agent']),
    model_name: z.string().optional(),
    reasoning_effort: z.union([z.string(), z.number()]).optional(),
    message: z.string(),
    reasoning_content: z.string().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          tool_call_id: z.string().min(1),
          function_name: z.string().min(1),
          arguments: z.record(z.string(), z.unknown()),
        }),
      )
      .optional(),
    observation: z
      .strictObject({
        results: z.array(
          z.strictObject({
            source_call_id: z.string().nullish(),
            content: z.string().nullish(),
            subagent_trajectory_ref: z
              .array(
                z
                  .strictObject({
                    trajectory_id: z.string().optional(),
                    session_id: z.string().optional(),
                    trajectory_path: z.string().optional(),
                    extra,
                  })
                  .refine((ref) => ref.trajectory_id ?? ref.trajectory_path),
              )
              .optional(),
          }),
        ),
      })
      .optional(),
    metrics: z
      .strictObject({
        prompt_tokens: count.optional(),
        completion_tokens: count.optional(),
        cached_tokens: count.optional(),
        cost_usd: z.number().optional(),
        extra,
      })
      .optional(),
    extra,
  })
  .refine(
    ({ source, tool_calls, metrics, reasoning_content, model_name }) =>
      source === 'agent' || !(tool_calls || metrics || reasoning_content || model_name),
    'only an agent calls tools and has metrics',
  )
  .refine(({ tool_calls = [], observation }) => {
    const ids = tool_calls.map((call) => call.tool_call_id)
    const results = observation?.results ?? []
    return results.every(({ source_call_id: id }) => id == null || ids.includes(id))
  }, 'a result is of a call of its step')
  .refine(({ tool_calls = [] }) => {
    const ids = tool_calls.map((call) => call.tool_call_id)
    return new Set(ids).size === ids.length
  }, 'the ids of the calls of a step are unique')

interface Embedded {
  trajectory_id?: string | undefined
}
const embedded = (): z.ZodType<Embedded> => atifTrajectory

export const atifTrajectory = z
  .strictObject({
    schema_version: z.literal('ATIF-v1.7'),
    session_id: z.string().optional(),
    trajectory_id: z.string().optional(),
    agent: z.strictObject({
      name: z.string(),
      version: z.string(),
      model_name: z.string().optional(),
      extra,
    }),
    steps: z.array(atifStep).min(1),
    notes: z.string().optional(),
    final_metrics: z
      .strictObject({
        total_prompt_tokens: count.optional(),
        total_completion_tokens: count.optional(),
        total_cached_tokens: count.optional(),
        total_cost_usd: z.number().optional(),
        total_steps: count.optional(),
        extra,
      })
      .optional(),
    continued_trajectory_ref: z.string().optional(),
    subagent_trajectories: z.array(z.lazy((): z.ZodType<Embedded> => embedded())).optional(),
    extra,
  })
  .refine(({ steps }) => steps.every(({ step_id }, at) => step_id === at + 1), 'steps count from 1')
  .refine(
    ({ steps, final_metrics, notes }) =>
      notes !== undefined || (final_metrics?.total_steps ?? steps.length) === steps.length,
    'another number of steps is explained in the notes',
  )
  .refine(({ subagent_trajectories = [] }) => {
    const ids = subagent_trajectories.map((one) => one.trajectory_id)
    return ids.every((id) => id !== undefined) && new Set(ids).size === ids.length
  }, 'every embedded trajectory has an id of its own')
  .refine(({ steps, subagent_trajectories = [] }) => {
    const ids = subagent_trajectories.map((one) => one.trajectory_id)
    const refs = steps.flatMap(({ observation }) =>
      (observation?.results ?? []).flatMap((result) => result.subagent_trajectory_ref ?? []),
    )
    return refs.every(({ trajectory_id: id }) => id === undefined || ids.includes(id))
  }, 'every reference leads to an embedded trajectory')

/** What viewers of Claude Code's session files read of a line. */
const claudeCodeContent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.string(),
    is_error: z.boolean(),
  }),
])
/** The API refuses an empty message. */
const claudeCodeContents = z.array(claudeCodeContent).min(1)
export const claudeCodeLine = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('summary'), summary: z.string(), leafUuid: z.string() }),
  ...(['user', 'assistant'] as const).map((type) =>
    z.object({
      type: z.literal(type),
      uuid: z.uuid(),
      parentUuid: z.uuid().nullable(),
      isSidechain: z.boolean(),
      sessionId: z.uuid(),
      timestamp: z.iso.datetime(),
      cwd: z.string(),
      version: z.string(),
      message: z.object({ role: z.literal(type), content: claudeCodeContents }),
      toolUseResult: z
        .union([
          z.object({ agentId: z.string(), status: z.enum(['completed', 'async_launched']) }),
          z.object({ filePath: z.string(), structuredPatch: z.array(z.object({})) }),
        ])
        .optional(),
    }),
  ),
])
