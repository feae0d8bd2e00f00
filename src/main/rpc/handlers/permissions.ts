/** The handlers of permissions. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const permissionHandlers = ({ os }: Calls, { permissions }: RouterDependencies) => ({
  list: os.permissions.list.handler(() => ({ questions: permissions.pending() })),
  answer: os.permissions.answer.handler(async ({ input }) => {
    await permissions.answer(input.id, input.decision)
    return {}
  }),
  settings: os.permissions.settings.handler(({ input }) => permissions.settings(input.scope)),
  setSettings: os.permissions.setSettings.handler(({ input }) =>
    permissions.setSettings(input.scope, input.settings, input.before),
  ),
})
