/** `shiplog agent remove`: removes one of the user's own agents from the list. */
import type { Action } from '../../action.ts'
import { exitCodes } from '../../exit-codes.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { withShiplog } from '../../with-shiplog.ts'

export function agentRemove(name: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      await client.agents.removeOwn({ name })
      if (context.json) await context.printJson({ removed: name })
      else await context.say(safeLine(`${name} was removed.`))
      return exitCodes.done
    })
}
