/** `shiplog agent list`: lists the kinds of agent, which can run here, and the results of their checks. */
import type { InstalledAgentState } from '../../../../../shared/agents/agent-checks.ts'
import type { ShiplogClient } from '../../../../../shared/contract/index.ts'
import {
  abilityText,
  commandText,
  packageText,
  signedInText,
} from '../../../../../shared/text/agent-check-text.ts'
import type { Action, ParsedOptions } from '../../action.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { type Cell, type Row, renderTable } from '../../terminal/table.ts'
import { ago } from '../../terminal/wording.ts'
import { withShiplog } from '../../with-shiplog.ts'

export function agentList(given: ParsedOptions): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      if (given.check) await checkAll(context, client)
      const { agents: kinds } = await client.app.info()
      const { agents: installed } = await client.agents.list()
      const sandbox = await client.app.sandbox()
      if (context.json) {
        await context.printJson({
          agents: [...kinds.map(kindJson), ...installed.map(agentJson)],
          sandbox,
        })
        return exitCodes.done
      }
      const rows = [
        ...kinds.map(({ kind, name, available, why }) => [
          kind,
          name,
          availabilityCell(available, why),
        ]),
        ...installed.flatMap((agent) => rowsOf(agent, context.host.now())),
      ]
      const columns = [
        { title: 'KIND' },
        { title: 'NAME' },
        { title: 'HERE', shrinks: true },
        { title: 'VERSION' },
        { title: 'SIGNED IN' },
      ]
      await context.out.write(renderTable(columns, rows, context.out))
      if (installed.some(({ available, check }) => available && !check))
        await context.say(
          'What an installed agent can, and whether somebody is signed in: shiplog agent list --check',
        )
      await context.say(
        sandbox.program === null
          ? `Sandbox for commands: none here, because ${safeLine(sandbox.why ?? '')}.`
          : `Sandbox for commands: ${sandbox.program}, where a project’s settings ask for it.`,
      )
      return exitCodes.done
    })
}

/** Checks all available agents, one after the other. */
async function checkAll(context: CliContext, client: ShiplogClient): Promise<void> {
  const { agents } = await client.agents.list()
  for (const { id, name, available } of agents.filter((one) => one.available)) {
    if (!available) continue
    await context.say(safeLine(`Starting ${name} …`))
    await client.agents.check({ id })
  }
}

const availabilityCell = (available: boolean, why: string | null): Cell =>
  available
    ? { text: '✓ can run', style: 'green' }
    : { text: `✕ ${safeLine(why ?? 'not available')}`, style: 'red' }

function rowsOf(agent: InstalledAgentState, now: number): Row[] {
  const { id, name, available, why, file, version, uses, check, signIn, package: from } = agent
  const place = file ?? (available && from ? `npx ${from.name}` : null)
  const cells: Cell[] = [
    safeLine(id),
    safeLine(name),
    available && place
      ? { text: `✓ ${safeLine(place)}`, style: 'green' }
      : available
        ? availabilityCell(true, null)
        : { text: `✕ ${safeLine(why ?? '')}`, style: 'gray' },
    available ? safeLine(version ?? 'unknown') : '',
    available ? signedInText(agent) : '',
  ]
  const abilities = abilityText(agent)
  const notes = [
    ...(uses ? [`uses ${uses.file}${uses.version ? ` (${uses.version})` : ''}`] : []),
    ...(!available && from?.fetchable
      ? [`shiplog agent setup ${id} lets npx fetch ${packageText(agent)}`]
      : []),
    ...(available && abilities
      ? [
          `can ${abilities.can.join(', ') || 'nothing of this'}` +
            (abilities.cannot.length > 0 ? `; not ${abilities.cannot.join(', ')}` : '') +
            (abilities.unknown.length > 0 ? `; unknown: ${abilities.unknown.join(', ')}` : '') +
            ` (checked ${ago(check?.at ?? null, now)})`,
        ]
      : []),
    ...(available && check?.outcome === 'failed' ? [`did not start: ${check.why}`] : []),
    ...(available && agent.signedIn !== true && check
      ? [signIn.command ? `sign in with: ${commandText(signIn.command)}` : signIn.text]
      : []),
  ]
  return [cells, ...notes.map((note) => ({ note: safeLine(note), under: 2 }))]
}

/** The fields that are the same for every kind of agent, for other programs. */
const kindJson = (kind: {
  kind: string
  name: string
  available: boolean
  why: string | null
}) => ({
  ...kind,
  version: null,
  signedIn: null,
  capabilities: null,
})

const agentJson = ({
  id,
  name,
  available,
  why,
  version,
  signedIn,
  ...more
}: InstalledAgentState) => ({
  kind: id,
  name,
  available,
  why,
  version,
  signedIn,
  capabilities: more.check?.can ?? null,
  file: more.file,
  uses: more.uses,
  package: more.package,
  signIn: more.signIn,
  check: more.check,
  own: more.own,
})
