/**
 * `shiplog agent setup`: saves a provider of models with its key, tests a model, and makes it the default of new agents.
 * On a terminal it asks for missing options. A key is never an argument.
 */
import { text as readAll } from 'node:stream/consumers'
import { modelProviderSchema } from '../../../../../shared/agents/model-refs.ts'
import {
  type ProviderState,
  providerEntrySchema,
} from '../../../../../shared/agents/provider-settings.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import { modelTestHint } from '../../../../../shared/text/model-test-text.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes, usageError } from '../../exit-codes.ts'
import { openTerminal, type Terminal } from '../../terminal/line-prompt.ts'
import { canAskIn } from '../../terminal/person-prompts.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { commandLines } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'
import { setUpAgent } from './installed-setup.ts'
import { keyEnvOf } from './key-env.ts'

interface SetupOptions {
  command?: string
  agentMode?: string
  env?: string[]
  set?: string[]
  yes?: boolean
  baseUrl?: string
  keyEnv?: string
  keyStdin?: boolean
  model?: string
  contextTokens?: number
  test: boolean
}

/** `provider` is one of the settings, a new name for the server at `--base-url`, or an installed agent. */
export function agentSetup(provider: string | undefined, given: ParsedOptions): Action {
  const options = given as ParsedOptions & SetupOptions
  return (context) => {
    const canAsk = canAskIn(context) && !options.keyStdin
    if (provider === undefined && !canAsk)
      throw usageError('Name the provider: anthropic, openai, google, or one of your own.')
    return withShiplog(context, { host: 'cli' }, async ({ client, ending }) => {
      const terminal = canAsk ? openTerminal(context, ending) : null
      try {
        const { agents } = await client.agents.list()
        const isAgent = agents.some(({ id }) => id === provider) || options.command !== undefined
        if (provider !== undefined && isAgent)
          return await setUpAgent({ client, context, terminal }, provider, options)
        const agentNames = agents.map(({ id }) => id)
        return await setUp(client, context, terminal, provider, options, agentNames)
      } finally {
        terminal?.close()
      }
    })
  }
}

async function setUp(
  client: ShiplogClient,
  context: CliContext,
  terminal: Terminal | null,
  provider: string | undefined,
  options: SetupOptions,
  agentNames: readonly string[],
): Promise<number> {
  const { providers } = await client.models.providers()
  const name = provider ?? (await chooseProvider(context, terminal as Terminal, providers))
  const known = providers.find((one) => one.name === name)
  const kind = known?.kind ?? 'openai-compatible'
  const baseUrl =
    options.baseUrl ??
    (known?.isOwn
      ? undefined
      : (known?.baseUrl ?? (terminal ? await askAddress(context, terminal) : undefined)))
  if (!known && !baseUrl)
    throw usageError(
      `There is no provider "${name}" yet. Give the address of a server with --base-url, or choose ${modelProviderSchema.options.slice(0, 3).join(', ')}.`,
      [`Agents that can be set up: ${agentNames.join(', ')}, or your own with --command.`],
    )
  if (terminal && known?.baseUrl && options.baseUrl === undefined && !known.isOwn)
    await context.say(`${name} is at ${safeLine(known.baseUrl)}; --base-url URL changes that.`)
  const key = await keyFrom(context, terminal, known, options)
  const hasKey = 'variable' in key || key.value !== undefined || known?.key.from !== 'none'
  // A server of one's own may need none.
  if (!hasKey && kind !== 'openai-compatible' && !baseUrl)
    throw usageError(
      `${name} needs a key, and none was given. Pipe it in with --key-stdin, or name the variable that holds it with --key-env.`,
    )
  const contextTokens = options.contextTokens ?? known?.contextTokens ?? null
  await client.models.saveProvider({
    name,
    kind,
    ...(baseUrl && { baseUrl }),
    ...(contextTokens !== null && { contextTokens }),
    ...('variable' in key ? { keyVariable: key.variable } : { key: key.value }),
  })
  await context.say(`${name} is set up.`)
  const model = options.model ?? (await chooseModel(client, context, terminal, name))
  const full = model === undefined ? null : `${name}/${model}`
  const test = full !== null && options.test ? await client.models.test({ model: full }) : null
  if (test?.outcome === 'failed') await context.warn(`${full} can't be used: ${test.why}`)
  else if (test && modelTestHint(test) !== null)
    await context.warn(`${full} answered. ${modelTestHint(test)}`)
  else if (test) await context.say(`${full} answers and calls tools.`)
  const works = test === null || (test.outcome === 'ok' && test.callsTools)
  if (full !== null && works) {
    await client.models.setDefaults({ defaultModel: full })
    await context.say(`New agents are offered ${full}.`)
  } else if (!works) {
    await context.say(`${name} stays set up; the model of new agents did not change.`)
    for (const line of commandLines([[`shiplog agent setup ${name}`, 'chooses another model']]))
      await context.say(line)
  }
  if (full === null && !terminal) await sayHowToChooseModel(client, context, name)
  if (context.json) await context.printJson({ provider: name, model: full, test })
  return works ? exitCodes.done : exitCodes.failed
}

/** Without a model the provider is set up, and still no agent can be started without `--model`. */
async function sayHowToChooseModel(client: ShiplogClient, context: CliContext, name: string) {
  const { defaultModel } = await client.models.providers()
  if (defaultModel !== null) return
  const does = 'chooses the model of new agents'
  for (const line of commandLines([[`shiplog agent setup ${name} --model NAME`, does]]))
    await context.say(line)
}

async function chooseProvider(
  context: CliContext,
  terminal: Terminal,
  providers: readonly ProviderState[],
): Promise<string> {
  await context.say('Providers of models:')
  for (const [index, { name, key }] of providers.entries())
    await context.say(
      `  ${index + 1}  ${safeLine(name)}${key.from === 'none' ? '' : ' (has a key)'}`,
    )
  const question = 'A number, or a name for a server of your own: '
  const names = providers.map(({ name }) => name)
  return askUntil<string>(context, terminal, question, (answer) => {
    const name = pickedFrom(names, answer)
    return providerEntrySchema.shape.name.safeParse(name).success && name !== null
      ? { value: name }
      : {
          why: `Type a number from 1 to ${names.length}, or a name of lower-case letters, digits, dots and dashes.`,
        }
  })
}

const askAddress = (context: CliContext, terminal: Terminal): Promise<string> =>
  askUntil<string>(context, terminal, 'Its address, usually ending in /v1: ', (answer) =>
    /^https?:\/\/\S+$/.test(answer) && URL.canParse(answer)
      ? { value: answer }
      : { why: 'Type the whole address, such as http://127.0.0.1:11434/v1.' },
  )

/** Repeats the question, with the reason, until the answer is valid. */
async function askUntil<Value>(
  context: CliContext,
  terminal: Terminal,
  question: string,
  parse: (answer: string) => { value: Value } | { why: string },
): Promise<Value> {
  for (;;) {
    const parsed = parse(await terminal.ask(question))
    if ('value' in parsed) return parsed.value
    await context.warn(parsed.why)
  }
}

/** Returns the name with the typed number, counted from 1, else the typed text; null if no name has that number. */
const pickedFrom = (names: readonly string[], answer: string): string | null =>
  /^\d+$/.test(answer) ? (names[Number(answer) - 1] ?? null) : answer

type Key = { value: string | undefined } | { variable: string }

/** An undefined value keeps the stored key. */
async function keyFrom(
  context: CliContext,
  terminal: Terminal | null,
  known: ProviderState | undefined,
  { keyEnv, keyStdin }: SetupOptions,
): Promise<Key> {
  const variable = keyEnvOf(keyEnv, context)
  if (variable !== undefined) return { variable }
  if (keyStdin) {
    const value = (await readAll(context.host.stdin)).trim()
    if (value === '') throw usageError('Standard input was empty: pipe the key into it.')
    return { value }
  }
  if (!terminal) return { value: undefined }
  const offered = known?.key.from === 'none' ? known.key.offered : null
  if (offered !== null) {
    const answer = await terminal.ask(`Use the key in ${offered}? [y]es or [n]o: `)
    if (/^y(es)?$/i.test(answer)) return { variable: offered }
  }
  const hint = known?.key.from === 'stored' ? ' (empty: the stored one stays)' : ' (empty: none)'
  const value = await terminal.askSecret(`Key${hint}, not shown: `)
  return { value: value === '' ? undefined : value }
}

/** A longer list does not help, and a name can be typed. */
const modelsShownMax = 20

async function chooseModel(
  client: ShiplogClient,
  context: CliContext,
  terminal: Terminal | null,
  provider: string,
): Promise<string | undefined> {
  if (!terminal) return undefined
  const models = await client.models.list({ provider }).then(
    (found) => found.models,
    async (error: Error) => {
      await context.warn(error.message)
      return []
    },
  )
  for (const [index, model] of models.slice(0, modelsShownMax).entries())
    await context.say(`  ${index + 1}  ${safeLine(model)}`)
  if (models.length > modelsShownMax)
    await context.say(`  and ${models.length - modelsShownMax} more`)
  const question = 'The model of new agents, a number or a name (empty: none): '
  return askUntil<string | undefined>(context, terminal, question, (answer) => {
    const model = pickedFrom(models, answer)
    if (model === null)
      return {
        why:
          models.length === 0
            ? 'There is no list: type the name of a model.'
            : `Type a number from 1 to ${models.length}, or the name of a model.`,
      }
    return { value: model === '' ? undefined : model }
  })
}
