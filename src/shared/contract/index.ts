/** The whole ORPC contract. `src/main/rpc` implements it; the renderer, the command line and the stories call it. */
import type { ContractRouterClient } from '@orpc/contract'
import { agents } from './agents.ts'
import { app } from './app.ts'
import { checks } from './changes/checks.ts'
import { publish } from './changes/publish.ts'
import { review } from './changes/review.ts'
import { doctor } from './doctor.ts'
import { exports } from './exports.ts'
import { feed } from './feed.ts'
import { imports } from './imports.ts'
import { limits } from './limits.ts'
import { models } from './models.ts'
import { opened } from './opened.ts'
import { permissions } from './permissions.ts'
import { projects } from './projects.ts'
import { retention } from './retention.ts'
import { search } from './search.ts'
import { tasks } from './tasks.ts'
import { transcripts } from './transcripts/transcripts.ts'
import { turnFiles } from './transcripts/turn-files.ts'
import { workspace } from './workspace.ts'

export const contract = {
  app,
  projects,
  tasks,
  permissions,
  limits,
  agents,
  models,
  transcripts,
  turnFiles,
  workspace,
  checks,
  review,
  publish,
  search,
  exports,
  imports,
  opened,
  retention,
  doctor,
  feed,
}

export type ShiplogClient = ContractRouterClient<typeof contract>
