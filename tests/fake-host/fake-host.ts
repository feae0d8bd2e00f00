/**
 * The one fake of the contract: a working host in memory, for the stories, the renderer's tests and those of the
 * command line. It stands where `src/main/rpc/router.ts` and all below it stand in the app.
 *
 * - Its state is real ledger records and real entries, folded by the shared projections; what a call or a happening
 *   changes is a record more, which the feeds tell as the app's do.
 * - It is strict: it refuses what the services refuse, with their `FailureError`s, which become the same typed errors
 *   (`main/rpc/failure-answers.ts`). Who can be resumed, what has a next run and which transcripts are kept is asked
 *   of the app's own rules where these are pure.
 * - There are no disk, no Git and no agents. What these would say is given (`options.ts`); a task runs, ends or is
 *   removed when a test makes it happen (`happenings.ts`). The name of a folder says what is there: "missing" nothing,
 *   "plain" no repository; a scenario with "malformed" in it is no scenario.
 *
 * A suite that wants more has an adapter: `storybook/story-host.ts`, `tests/cli/fake-shiplog.ts`.
 */
import { createRouterClient } from '@orpc/server'
import type { ShiplogClient } from '../../src/shared/contract/index.ts'
import { agentAnswers } from './agents.ts'
import { appAnswers, doctorAnswers, projectAnswers } from './app-and-projects.ts'
import { checkAnswers } from './checks.ts'
import { exportAnswers } from './exports.ts'
import { feeds } from './feeds.ts'
import { createHappenings } from './happenings.ts'
import { createImplementer } from './implementer.ts'
import { importAnswers } from './imports.ts'
import { limitAnswers } from './limits.ts'
import { createMemory } from './memory.ts'
import { modelAnswers } from './models.ts'
import { openedAnswers } from './opened.ts'
import type { FakeHostOptions } from './options.ts'
import { createFakePermissions, permissionAnswers } from './permissions.ts'
import { publishAnswers } from './publish.ts'
import { createFakeResume } from './resume.ts'
import { retentionAnswers } from './retention.ts'
import { reviewAnswers } from './review.ts'
import { searchAnswers } from './search.ts'
import { taskAnswers } from './tasks.ts'
import { transcriptAnswers } from './transcripts.ts'
import { turnFileAnswers } from './turn-files.ts'
import { workspaceAnswers } from './workspaces.ts'

export type FakeHost = ReturnType<typeof createFakeHost>

export function createFakeHost(options: FakeHostOptions = {}) {
  const memory = createMemory(options)
  const happenings = createHappenings(memory)
  const resume = createFakeResume({ memory, goOn: (id) => happenings.begin(id, 'onGoOn') })
  const permissions = createFakePermissions(memory)
  const os = createImplementer(memory)
  const { transcripts, getSubagentTranscript } = transcriptAnswers(os, memory)
  const router = os.router({
    app: appAnswers(os, memory),
    projects: projectAnswers(os, { memory, happenings }),
    tasks: taskAnswers(os, { memory, happenings, resume }),
    transcripts,
    turnFiles: turnFileAnswers(os, memory),
    workspace: { ...workspaceAnswers(os, { memory, happenings }), getSubagentTranscript },
    permissions: permissionAnswers(os, permissions),
    limits: limitAnswers(os),
    checks: checkAnswers(os, memory),
    review: reviewAnswers(os, memory, happenings),
    publish: publishAnswers(os, memory),
    search: searchAnswers(os, memory),
    exports: exportAnswers(os, memory),
    agents: agentAnswers(os, memory),
    imports: importAnswers(os, memory),
    opened: openedAnswers(os, memory, () => client),
    models: modelAnswers(os, memory),
    retention: retentionAnswers(os, memory),
    doctor: doctorAnswers(os, memory),
    feed: feeds(os, { memory, resume, permissions }),
  })
  const { given, state, calls, ledgerListeners, sessionListeners } = memory
  const { record, append, appendEntries, stream, setActivity, sessionOf } = memory
  const client: ShiplogClient = createRouterClient(router)

  return {
    client,
    router,
    /** What it was given; a test may change it at any time. */
    given,
    state,
    /** What was asked of it, in order, with the input as the contract reads it. */
    calls,
    /** The inputs of the calls of one procedure, such as 'tasks.list'. */
    asked: (path: string) => calls.filter((call) => call.path === path).map(({ input }) => input),
    record,
    append,
    appendEntries,
    stream,
    setActivity,
    sessionOf,
    ...happenings,
    /** An agent asks for a permission. */
    askPermission: permissions.ask,
    /** How many feeds are open: what was opened must be closed. */
    listeners: () => ({
      ledger: ledgerListeners.size,
      sessions: [...sessionListeners.values()].reduce((sum, set) => sum + set.size, 0),
    }),
  }
}
