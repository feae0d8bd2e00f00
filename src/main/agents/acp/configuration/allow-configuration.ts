/** Asks the person for what a repository configures for an installed agent, before that agent starts in it (K8). */

import type { AgentPlace } from '../../../../shared/agents/driver/agent-place.ts'
import type { AgentHost } from '../../../../shared/agents/driver/agent-session.ts'
import type { InstalledAgent } from '../../../../shared/agents/installed-agents.ts'
import { createKeyedMutex } from '../../../../shared/keyed-mutex.ts'
import type { Cause } from '../../../../shared/records/causes.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { ConfigurationFile } from './find-configuration.ts'

/** What the person has allowed in a project. */
export interface AllowedConfiguration {
  isAllowed(sha256: string): boolean
  /** Resolves once it is durable. */
  allow(files: readonly { path: string; sha256: string }[]): Promise<void>
}

export type AllowConfiguration = (
  agent: { name: string; program: InstalledAgent },
  place: Pick<AgentPlace, 'taskId' | 'cwd' | 'signal'>,
  host: Pick<AgentHost, 'ask'>,
) => Promise<Cause | null>

/**
 * The returned function resolves with null once the agent may start, else with the cause for which it may not. It
 * rejects if the folder can't be read, and as `host.ask` does.
 */
export function createAllowConfiguration(deps: {
  /** In the project of the task. */
  allowedIn: (taskId: TaskId) => AllowedConfiguration
  listFiles: (dir: string) => Promise<readonly string[]>
  isSecret: (name: string, value: string) => boolean
}): AllowConfiguration {
  const serially = createKeyedMutex()

  return async ({ name, program }, { taskId, cwd, signal }, host) => {
    const allowed = deps.allowedIn(taskId)
    const because = (
      why: Extract<Cause, { kind: 'agent-config' }>['why'],
      files: string[],
      detail = '',
    ): Cause => ({ kind: 'agent-config', agent: name, why, files, detail })

    /** It may change while a person reads it, or be allowed by them for another agent. */
    async function missingNow(): Promise<ConfigurationFile[] | Cause> {
      const { findConfiguration } = await import('./find-configuration.ts')
      const { files, unshowable } = await findConfiguration({ ...deps, cwd, program })
      if (unshowable.length > 0)
        return because(
          'unshowable',
          unshowable.map(({ path }) => path),
          unshowable.map(({ path, why }) => `${path} ${why}`).join('; '),
        )
      return files.filter(({ sha256 }) => !allowed.isAllowed(sha256))
    }

    for (;;) {
      const missing = await missingNow()
      if (!Array.isArray(missing)) return missing
      if (missing.length === 0) return null
      // Several agents that start at once ask once.
      const key = missing.map(({ sha256 }) => sha256).join(' ')
      const refused = await serially(key, async () => {
        signal.throwIfAborted()
        if (missing.every(({ sha256 }) => allowed.isAllowed(sha256))) return null
        const { allowed: isAllowed, by } = await host.ask({
          callId: null,
          question: questionOf(name, missing),
          options: [],
          configures: name,
        })
        const paths = missing.map(({ path }) => path)
        if (!isAllowed) return because(by === 'nobody' ? 'nobody' : 'refused', paths)
        await allowed.allow(missing.map(({ path, sha256 }) => ({ path, sha256 })))
        return null
      })
      if (refused) return refused
    }
  }
}

/** The names of all files in its first line; each file whole, indented, so that none can contain the name of a next one. */
export function questionOf(agent: string, files: readonly ConfigurationFile[]): string {
  const blocks = files.map(({ path, text }) => {
    const lines = text.replace(/\n$/, '').split('\n')
    return [`${path}:`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
  })
  const names = files.map(({ path }) => path).join(', ')
  return [`Configuration for ${agent}: ${names}`, ...blocks].join('\n\n')
}
