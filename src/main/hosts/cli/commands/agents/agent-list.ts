/** `shiplog agent list`: the kinds of agent, and which of them can run here. */

import type { Action } from '../../action.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { renderTable } from '../../terminal/table.ts'
import { withShiplog } from '../../with-shiplog.ts'

export function agentList(): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { agents } = await client.app.info()
      const sandbox = await client.app.sandbox()
      if (context.json) {
        await context.printJson({ agents, sandbox })
        return 0
      }
      const rows = agents.map(({ kind, name, available, why }) => [
        kind,
        name,
        available
          ? ({ text: '✓ can run', style: 'green' } as const)
          : ({ text: `✕ ${why ?? 'not available'}`, style: 'red' } as const),
      ])
      const columns = [{ title: 'KIND' }, { title: 'NAME' }, { title: 'HERE', shrinks: true }]
      await context.out.write(renderTable(columns, rows, context.out))
      await context.say(
        sandbox.program === null
          ? `Sandbox for commands: none here, because ${safeLine(sandbox.why ?? '')}.`
          : `Sandbox for commands: ${sandbox.program}, where a project’s settings ask for it.`,
      )
      return 0
    })
}
