/** `shiplog agent test`: makes one short exchange with a model, which costs money. */
import type { InstalledAgentState } from '../../../../../shared/agents/agent-checks.ts'
import type { ModelTest } from '../../../../../shared/agents/provider-settings.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import { listFirst } from '../../../../../shared/text/counted.ts'
import { modelTestHint } from '../../../../../shared/text/model-test-text.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes, usageError } from '../../exit-codes.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { withShiplog } from '../../with-shiplog.ts'
import { keyEnvOf } from './key-env.ts'

/** `name` is `PROVIDER/MODEL` or an agent. Default: the default model. */
export function agentTest(name: string | undefined, given: ParsedOptions): Action {
  const { baseUrl, keyEnv } = given as ParsedOptions & { baseUrl?: string; keyEnv?: string }
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      if (name === 'scripted') {
        await context.say('A scripted agent can run: it plays a scenario and needs no model.')
        return exitCodes.done
      }
      const { agents } = await client.agents.list()
      const agent = agents.find(({ id }) => id === name)
      if (agent) return await testAgent(context, client, agent)
      const model = name ?? (await defaultModel(client))
      // With another address, the name need not be in the settings.
      if (baseUrl === undefined) await checkName(client, model)
      const test = await client.models.test({ model, baseUrl, keyEnv: keyEnvOf(keyEnv, context) })
      if (context.json) await context.printJson({ model, test })
      else await context.out.write(`${safeLine(resultText(model, test))}\n`)
      if (test.outcome === 'failed' && baseUrl === undefined)
        await printOtherModels(context, client, model)
      return test.outcome === 'ok' && test.callsTools ? exitCodes.done : exitCodes.failed
    })
}

/** Checks an installed agent with a short prompt. */
async function testAgent(
  context: CliContext,
  client: ShiplogClient,
  { id, name }: InstalledAgentState,
): Promise<number> {
  await context.say(safeLine(`Starting ${name} …`))
  const check = await client.agents.check({ id, prompts: true })
  if (context.json) await context.printJson({ agent: id, check })
  else
    await context.out.write(
      check.outcome === 'ready'
        ? `${safeLine(name)} answered in ${((check.answeredMs ?? 0) / 1000).toFixed(1)} s.\n`
        : `${safeLine(`${name} can't be used: ${check.why}`)}\n`,
    )
  return check.outcome === 'ready' ? exitCodes.done : exitCodes.failed
}

async function defaultModel(client: ShiplogClient): Promise<string> {
  const { defaultModel: model } = await client.models.providers()
  if (model === null)
    throw usageError(
      'There is no default model: name one as PROVIDER/MODEL, or set one up with shiplog agent setup.',
    )
  return model
}

/** Rejects with a usage error that lists the providers or models if the text names no model. */
async function checkName(client: ShiplogClient, text: string): Promise<void> {
  const [provider = '', model = ''] = split(text)
  const { providers } = await client.models.providers()
  const known = providers.find((one) => one.name === provider)
  if (!known && provider !== 'openai-compatible') {
    const names = listed(providers.map((one) => one.name))
    throw usageError(`There is no provider "${provider}". There are ${names}.`, [
      '  shiplog agent setup   sets another one up',
    ])
  }
  if (model.trim() !== '') return
  const models = await modelsOf(client, provider)
  throw usageError(
    models.length > 0
      ? `Name a model of ${provider}: ${listFirst(models, namesShownMax)}.`
      : `Name a model of ${provider}, as ${provider}/MODEL.`,
  )
}

async function printOtherModels(
  context: CliContext,
  client: ShiplogClient,
  text: string,
): Promise<void> {
  const [provider = ''] = split(text)
  const models = await modelsOf(client, provider)
  if (models.length === 0 || models.includes(text)) return
  await context.say(safeLine(`${provider} has ${listFirst(models, namesShownMax)}.`))
}

const split = (text: string): string[] => {
  const slash = text.indexOf('/')
  return slash < 0 ? [text] : [text.slice(0, slash), text.slice(slash + 1)]
}

/** Resolves with names as `PROVIDER/MODEL`; empty if the provider does not list them. */
const modelsOf = (client: ShiplogClient, provider: string): Promise<string[]> =>
  client.models.list({ provider }).then(
    ({ models }) => models.map((model) => `${provider}/${model}`),
    () => [],
  )

/** More would fill a page. */
const namesShownMax = 12

const listed = (names: string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

function resultText(model: string, test: ModelTest): string {
  if (test.outcome === 'failed') return `${model} can't be used: ${test.why}`
  const answered = `${model} answered in ${(test.ms / 1000).toFixed(1)} s`
  const hint = modelTestHint(test)
  return hint === null ? `${answered} and calls tools.` : `${answered}. ${hint}`
}
