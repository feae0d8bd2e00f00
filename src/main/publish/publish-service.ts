/**
 * Publishes a root's changes on the user's repository host: commits its worktree, pushes its branch, and opens a pull
 * request with the user's own `gh`. Runs only the commands that the user was shown and approved (K6).
 */
import type {
  PublishRequest,
  PublishResult,
  PublishState,
} from '../../shared/contract/changes/publish.ts'
import { messageOf } from '../../shared/error-message.ts'
import { refused } from '../../shared/failure.ts'
import { planPublish } from '../../shared/git/plan-publish.ts'
import { type PublishStep, publishCommands } from '../../shared/git/publish-commands.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { isRunning } from '../../shared/records/tasks/task-status.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { type Git, GitError } from '../git/index.ts'
import type { GithubCliRunner } from './github-cli.ts'

export interface PublishService {
  state(taskId: TaskId): Promise<PublishState>
  /** Throws FailureError if `commands` differs from the commands to run. The result reports a failed command. */
  run(taskId: TaskId, request: PublishRequest, commands: string): Promise<PublishResult>
}

export function createPublishService(deps: {
  tasks: Pick<ReadonlyMap<TaskId, Task>, 'get'>
  git: Pick<Git, 'isClean' | 'pushAddress' | 'remoteName' | 'runApproved'>
  gh: GithubCliRunner
  /** Runs `work` while no other call changes the workspace. */
  exclusively: <T>(taskId: TaskId, work: () => Promise<T>) => Promise<T>
  linkPullRequest: (taskId: TaskId, url: string) => Promise<boolean>
}): PublishService {
  const { git, gh } = deps

  async function stateOf(taskId: TaskId): Promise<PublishState> {
    const { worktree, branch } = placeOf(deps.tasks.get(taskId))
    const [isClean, address] = await Promise.all([git.isClean(worktree), git.pushAddress(worktree)])
    const { url } = address
    const name = url === null ? null : git.remoteName(url)
    const repository = name === null ? null : repositoryOf(name)
    return {
      worktree,
      branch,
      uncommitted: !isClean,
      remote: url === null ? null : { url, repository },
      cannotPush: cannotPush(address),
      gh:
        repository === null
          ? { state: 'failed', reason: 'The remote is not a GitHub repository.' }
          : await gh.state(taskId, repository.split('/')[0] ?? ''),
    }
  }

  async function runStep(taskId: TaskId, cwd: string, step: PublishStep): Promise<string | null> {
    if (step.program === 'git') {
      await git.runApproved(step.args, { cwd, usesNetwork: step.does === 'push' })
      return null
    }
    const { exitCode, stdout, stderr } = await gh.run(taskId, step.args)
    const url = addressIn(exitCode === 0 ? stdout : stderr)
    // gh fails if the branch has a pull request, and prints its address.
    if (url !== null && (exitCode === 0 || stderr.includes('already exists'))) return url
    throw new Error(stderr.trim() || `gh ended with exit code ${exitCode}.`)
  }

  async function runAll(taskId: TaskId, request: PublishRequest, approved: string) {
    const { title, status } = deps.tasks.get(taskId) ?? refuse()
    if (isRunning(status)) return refused('running', `"${title}" is running. Wait for its end.`)
    const state = await stateOf(taskId)
    const steps = planPublish(state, request)
    if (steps.length === 0)
      return refused('nothing-to-apply', 'There is nothing to commit or push.')
    if (publishCommands(steps) !== approved)
      return refused('changed-since-shown', 'The commands are no longer those that were shown.')
    if (request.pushTo !== null && state.cannotPush !== null)
      return refused('not-set-up', state.cannotPush)
    const result: PublishResult = { done: [], url: null, failed: null }
    for (const step of steps) {
      try {
        result.url = await runStep(taskId, state.worktree, step)
        result.done.push(step.does)
      } catch (error) {
        result.failed = { does: step.does, message: failureText(error) }
        break
      }
    }
    return result
  }

  return {
    state: stateOf,
    async run(taskId, request, commands) {
      const result = await deps.exclusively(taskId, () => runAll(taskId, request, commands))
      if (result.url !== null) await deps.linkPullRequest(taskId, result.url)
      return result
    },
  }
}

const refuse = (): never => refused('not-a-root', 'There is no such agent.')

function placeOf(task: Task | undefined): { worktree: string; branch: string } {
  const { parentId, workspace } = task ?? refuse()
  if (parentId !== null || !workspace || workspace.removal !== null)
    return refused('not-a-root', 'Only the changes of a root with a workspace are committed.')
  const { isolation, branch, path } = workspace
  if (isolation !== 'worktree' || branch === null)
    return refused(
      'not-a-root',
      'It works in the project’s own folder, not on a branch of its own.',
    )
  return { worktree: path, branch }
}

/** `host/owner/name`; null for a folder, a hashed address, and deeper paths of other hosts. */
const repositoryOf = (remoteName: string): string | null =>
  /^[^/:]+(?::\d+)?\/[^/]+\/[^/]+$/.test(remoteName) ? remoteName : null

function cannotPush({
  url,
  isFolder,
  settings,
}: Awaited<ReturnType<Git['pushAddress']>>): string | null {
  if (url === null) return 'The repository has no remote called origin.'
  // Some options of Git run a program.
  if (url.startsWith('-'))
    return `The address of origin, ${url}, would be an option of Git. Correct it: git remote set-url origin ADDRESS`
  if (isFolder)
    return `The remote origin is a folder, ${url}, and a push to it would run the hooks of that repository. Run the commands in a terminal if you trust it.`
  if (settings.length === 0) return null
  const names = settings.join(', ')
  return `The repository’s own configuration sets ${names}, which Shiplog does not use. Run the commands in a terminal.`
}

const addressIn = (text: string): string | null =>
  /https:\/\/\S+\/pull\/\d+/.exec(text)?.[0] ?? null

const failureText = (error: unknown): string => {
  if (error instanceof GitError) return error.stderr.trim() || error.message
  return messageOf(error)
}
