/** Asks the user to allow a repository's configuration of an installed agent before that agent starts in it (K8). */

import type { AgentPlace } from '../../../../shared/agents/driver/agent-place.ts'
import type { AgentHost } from '../../../../shared/agents/driver/agent-session.ts'
import type { InstalledAgent } from '../../../../shared/agents/installed-agents.ts'
import { createKeyedMutex } from '../../../../shared/async/keyed-mutex.ts'
import type { Cause } from '../../../../shared/records/causes.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import { onOneLine } from '../../permissions/signed-lines.ts'
import type { ConfigurationFile } from './find-configuration.ts'

/** The configuration files that the user has allowed in a project. */
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
 * rejects with the system's error if the folder can't be read, and as `host.ask` does.
 */
export function createAllowConfiguration(deps: {
  /** In the project of the task. */
  allowedIn: (taskId: TaskId) => AllowedConfiguration
  listFiles: (dir: string) => Promise<readonly string[]>
  isRepository: (dir: string) => boolean
  isSecret: (name: string, value: string) => boolean
}): AllowConfiguration {
  const mutex = createKeyedMutex()

  return async ({ name, program }, { taskId, cwd, signal }, host) => {
    const allowed = deps.allowedIn(taskId)
    const causeOf = (
      why: Extract<Cause, { kind: 'agent-config' }>['why'],
      files: string[],
      detail = '',
    ): Cause => ({ kind: 'agent-config', agent: name, why, files, detail })

    /** Called again after each answer: files may change while a user reads them, or be allowed for another agent. */
    async function findUnallowed(): Promise<ConfigurationFile[] | Cause> {
      const { findConfiguration } = await import('./find-configuration.ts')
      const { files, unshowable } = await findConfiguration({ ...deps, cwd, program })
      if (unshowable.length > 0)
        return causeOf(
          'unshowable',
          unshowable.map(({ path }) => path),
          unshowable.map(({ path, why }) => `${path} ${why}`).join('; '),
        )
      return files.filter(({ sha256 }) => !allowed.isAllowed(sha256))
    }

    for (;;) {
      const unallowed = await findUnallowed()
      if (!Array.isArray(unallowed)) return unallowed
      if (unallowed.length === 0) return null
      // Agents that start at the same time share one question.
      const key = unallowed.map(({ sha256 }) => sha256).join(' ')
      const refused = await mutex(key, async () => {
        signal.throwIfAborted()
        if (unallowed.every(({ sha256 }) => allowed.isAllowed(sha256))) return null
        const { allowed: isAllowed, by } = await host.ask({
          callId: null,
          question: questionOf(name, unallowed),
          options: [],
          configures: name,
        })
        const paths = unallowed.map(({ path }) => path)
        if (!isAllowed) return causeOf(by === 'nobody' ? 'nobody' : 'refused', paths)
        await allowed.allow(unallowed.map(({ path, sha256 }) => ({ path, sha256 })))
        return null
      })
      if (refused) return refused
    }
  }
}

/**
 * Returns the question: the names of all files in the first line, then each whole file. Files are indented, so that no
 * content can look like the name of a next file.
 */
export function questionOf(agent: string, files: readonly ConfigurationFile[]): string {
  const blocks = files.map(({ path, text }) => {
    const lines = text.replace(/\n$/, '').split('\n')
    return [`${onOneLine(path)}:`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))].join(
      '\n',
    )
  })
  const names = files.map(({ path }) => onOneLine(path)).join(', ')
  return [`Configuration for ${agent}: ${names}`, ...blocks].join('\n\n')
}
