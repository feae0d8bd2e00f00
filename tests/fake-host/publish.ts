/** What can be committed and pushed, as it is given; every command succeeds. */

import type { PublishState } from '../../src/shared/contract/changes/publish.ts'
import { refused } from '../../src/shared/failure.ts'
import { planPublish } from '../../src/shared/git/plan-publish.ts'
import { publishCommands } from '../../src/shared/git/publish-commands.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

const commitsOnly = (worktree: string, branch: string): PublishState => ({
  worktree,
  branch,
  uncommitted: true,
  remote: null,
  cannotPush: 'The repository has no remote called origin.',
  gh: { state: 'failed', reason: 'The remote is not a GitHub repository.' },
})

export const publishAnswers = (os: Implementer, { given, find }: Memory) => {
  const stateOf = (text: string): PublishState => {
    const { workspace, parentId } = find(text)
    if (parentId !== null || !workspace?.branch) return refused('not-a-root', 'It is no root.')
    return given.publish ?? commitsOnly(workspace.path, workspace.branch)
  }
  return {
    state: os.publish.state.handler(({ input }) => stateOf(input.taskId)),
    run: os.publish.run.handler(({ input: { taskId, request, commands } }) => {
      const steps = planPublish(stateOf(taskId), request)
      if (publishCommands(steps) !== commands)
        refused('changed-since-shown', 'The commands are no longer those that were shown.')
      const done = steps.map(({ does }) => does)
      const url = done.includes('pull-request') ? 'https://github.com/harbour/lights/pull/7' : null
      return { done, url, failed: null }
    }),
  }
}
