/** Reads and sets the options of a session: its model, its mode, and others that the agent offers. */
import { methods } from '@agentclientprotocol/sdk/unstable'
import { isRecord, text } from './content.ts'
import type { AcpConnection } from './process/connection.ts'

/** Returns the option of a category. `answer` is any message with `configOptions`. */
export const optionOf = (answer: Record<string, unknown>, category: string) =>
  Array.isArray(answer.configOptions)
    ? answer.configOptions.filter(isRecord).find((option) => option.category === category)
    : undefined

/** Returns the values of a select, grouped or not. */
function valuesOf({ options }: Record<string, unknown>): (string | null)[] {
  if (!Array.isArray(options)) return []
  return options.flatMap((option) => {
    if (!isRecord(option)) return []
    return Array.isArray(option.options) ? valuesOf(option) : [text(option.value)]
  })
}

/** A session whose settings are changed. `answer` is the agent's answer that opened it. */
interface OpenedSession {
  connection: Pick<AcpConnection, 'request'>
  agentName: string
  sessionId: string
  answer: Record<string, unknown>
  /** Reports one sentence to the user. */
  onNotice: (text: string) => void
}

const settingMsMax = 30_000

/** Sets the mode of a session, because agents do not keep it over a resume. Null leaves it. Rejects as `request` does. */
export async function setMode(session: OpenedSession, mode: string | null): Promise<void> {
  const { connection, agentName, sessionId, answer, onNotice } = session
  if (mode === null) return
  const state = isRecord(answer.modes) ? answer.modes : {}
  const available = Array.isArray(state.availableModes)
    ? state.availableModes.flatMap((one) => (isRecord(one) ? [text(one.id)] : []))
    : []
  if (available.includes(mode)) {
    if (state.currentModeId === mode) return
    const params = { sessionId, modeId: mode }
    await connection.request(methods.agent.session.setMode, params, { timeoutMs: settingMsMax })
    return
  }
  const option = optionOf(answer, 'mode')
  if (option && valuesOf(option).includes(mode)) {
    const params = { sessionId, configId: option.id, value: mode }
    await connection.request(methods.agent.session.setConfigOption, params, {
      timeoutMs: settingMsMax,
    })
    return
  }
  const offered = [...available, ...(option ? valuesOf(option) : [])].join(', ')
  onNotice(
    `${agentName} has no mode "${mode}"${offered === '' ? '' : ` (it has ${offered})`}, so it may do things without asking.`,
  )
}

/**
 * Sets options of a session, because agents do not keep them over a resume. Resolves with all options as they are then;
 * null if it has none. Rejects as `request` does.
 */
export async function setOptions(
  { connection, agentName, sessionId, answer, onNotice }: OpenedSession,
  wanted: Readonly<Record<string, string | boolean>>,
): Promise<unknown> {
  let options = answer.configOptions ?? null
  for (const [configId, value] of Object.entries(wanted)) {
    const known = Array.isArray(options)
      ? options.filter(isRecord).find(({ id }) => id === configId)
      : undefined
    if (known?.currentValue === value) continue
    const isOffered =
      typeof value === 'boolean' ? known !== undefined : known && valuesOf(known).includes(value)
    if (!isOffered) {
      onNotice(
        `${agentName} does not offer ${JSON.stringify(value)} for ${JSON.stringify(text(known?.name) ?? configId)} any more, and continues with its own choice.`,
      )
      continue
    }
    const params = {
      sessionId,
      configId,
      value,
      ...(typeof value === 'boolean' && { type: 'boolean' }),
    }
    const changed = await connection.request<Record<string, unknown>>(
      methods.agent.session.setConfigOption,
      params,
      { timeoutMs: settingMsMax },
    )
    options = changed.configOptions ?? options
  }
  return options
}

export function modelOf(answer: Record<string, unknown>): string | null {
  const models = isRecord(answer.models) ? answer.models : {}
  return text(optionOf(answer, 'model')?.currentValue) ?? text(models.currentModelId)
}
