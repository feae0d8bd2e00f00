/** Says which agents can continue an imported session if the agent that it was recorded by can't run here. */
import { ORPCError } from '@orpc/client'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import { shortId } from '../../../../shared/records/ids.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { CliError, failureOf } from '../exit-codes.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { commandLines } from '../terminal/wording.ts'

/** Makes the call, and adds the commands to a refusal whose reason is the agent of the session. */
export async function withOtherAgents<Result>(
  client: Pick<ShiplogClient, 'agents' | 'models'>,
  from: Pick<Task, 'id' | 'spec'>,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ORPCError) || error.code !== 'REFUSED') throw error
    const { agents } = await client.agents.list()
    const { spec } = from
    if (spec.kind !== 'acp') throw error
    if (agents.some(({ id, available }) => id === spec.program && available)) throw error
    const { exitCode, message } = failureOf(error)
    const { defaultModel } = await client.models.providers()
    const command = `shiplog tasks continue ${shortId(from.id)} "PROMPT"`
    throw new CliError(
      exitCode,
      message,
      commandLines([
        ...agents
          .filter(({ available }) => available)
          .map(({ id, name }): [string, string] => [
            `${command} --agent ${safeLine(id)}`,
            `continues it with ${safeLine(name)}`,
          ]),
        [
          `${command} --model ${defaultModel === null ? 'PROVIDER/MODEL' : safeLine(defaultModel)}`,
          'continues it with a model',
        ],
        [`${command} --scenario FILE`, 'continues it with a scripted agent'],
      ]),
    )
  }
}
