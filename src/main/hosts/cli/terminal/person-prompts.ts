/** Asks the questions of this process's agents in the terminal, one at a time. */
import type { AskedQuestion, PendingPermission } from '../../../../shared/agents/permissions.ts'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import { messageOf } from '../../../../shared/error-message.ts'
import { foldLedgerRecord } from '../../../../shared/projections/ledger/fold-ledger.ts'
import { createSnapshotJoiner } from '../../../../shared/projections/ledger/ledger-snapshot.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { CliContext } from '../context.ts'
import { askAboutBudget, type PausedTree, pausedTrees } from './budget-prompt.ts'
import { askPermission, showConfiguration } from './permission-prompt.ts'
import { safeLine } from './safe-text.ts'
import { createTypedAnswers, InputEnded } from './typed-answers.ts'

/** Whether a user sits at the terminal of this command. */
export const canAskIn = ({ host, err, json }: CliContext): boolean =>
  host.stdin.isTTY === true && err.isTTY && !json

/**
 * Asks the waiting questions until the signal is aborted. What `trust` accepts is allowed without a question; without a
 * terminal nothing else is answered. Never rejects.
 */
export async function askPerson(
  context: CliContext,
  client: ShiplogClient,
  { trust, signal }: { trust: TrustedConfigurations; signal: AbortSignal },
): Promise<void> {
  try {
    const waiting = listen(client, signal)
    while (!signal.aborted) {
      const changed = waiting.changed()
      const question = waiting
        .questions()
        .find((one) => canAskIn(context) || trustedIn(one, trust) !== null)
      if (question === undefined) await changed
      else await askOne(context, client, { question, trust, signal })
      if (question) waiting.answered(question)
    }
  } catch {
    // The command ends, or its terminal was closed: its agents are interrupted.
  }
}

/** The configurations of repositories for installed agents that `--trust` allows. */
interface TrustedConfigurations {
  has(question: AskedQuestion): boolean
  /** Ends the trust in a task's configuration: what its agent changes from now on is asked about. */
  used(taskId: TaskId): void
}

const trustedIn = (question: Question, trust: TrustedConfigurations): PendingPermission | null =>
  question.kind === 'permission' && trust.has(question.permission) ? question.permission : null

type Question = { key: string } & (
  | { kind: 'permission'; permission: PendingPermission }
  | { kind: 'budget'; tree: PausedTree }
)

interface Waiting {
  /** The questions that were not answered. */
  questions(): Question[]
  answered(question: Question): void
  /** Resolves when the questions may have changed, or when no more will come. */
  changed(): Promise<void>
}

function listen(client: ShiplogClient, signal: AbortSignal): Waiting {
  let permissions: PendingPermission[] = []
  let ledger: LedgerState = emptyLedgerState('')
  let wake = Promise.withResolvers<void>()
  const answered = new Set<string>()
  const notify = () => {
    const { resolve } = wake
    wake = Promise.withResolvers()
    resolve()
  }

  async function followPermissions() {
    for await (const event of await client.feed.permissions(undefined, { signal })) {
      permissions = event.questions
      notify()
    }
  }

  async function followLedger() {
    const snapshots = createSnapshotJoiner()
    for await (const event of await client.feed.ledger(undefined, { signal })) {
      const whole = snapshots.take(event)
      if (whole) ledger = whole
      else if (event.type === 'records')
        for (const record of event.records) foldLedgerRecord(ledger, record)
      else continue
      notify()
    }
  }
  for (const following of [followPermissions(), followLedger()])
    void following.catch(() => {}).finally(notify)

  return {
    questions() {
      const all: Question[] = [
        ...permissions.map((permission): Question => {
          return { key: permission.id, kind: 'permission', permission }
        }),
        ...pausedTrees(ledger).map((tree): Question => {
          return { key: `${tree.taskId} ${tree.reached.at}`, kind: 'budget', tree }
        }),
      ]
      return all.filter(({ key }) => !answered.has(key))
    },
    answered: ({ key }) => void answered.add(key),
    changed: () => wake.promise,
  }
}

/** Allows a trusted configuration without a question, and shows it. */
async function allowTrusted(
  context: CliContext,
  client: ShiplogClient,
  question: PendingPermission,
  trust: TrustedConfigurations,
): Promise<void> {
  trust.used(question.taskId)
  await context.progress.settled()
  const release = context.progress.hold()
  try {
    const who = question.chain.map(({ title }) => safeLine(title)).join(' › ')
    await showConfiguration(context, question, who, null)
    await client.permissions.answer({ id: question.id, decision: { kind: 'allow-once' } })
  } catch (error) {
    await context.warn(messageOf(error))
  } finally {
    await release()
  }
}

/** As where nobody can be asked: otherwise the agent would never stop waiting. */
async function denyUnanswered(
  context: CliContext,
  client: ShiplogClient,
  { id }: PendingPermission,
): Promise<void> {
  // Nobody pressed Enter after the question.
  await context.say('')
  await context.warn(`${new InputEnded().message} The agent is told that it was denied.`)
  try {
    await client.permissions.answer({ id, decision: { kind: 'deny', message: '' } })
  } catch (error) {
    await context.warn(messageOf(error))
  }
}

/** Asks one question. The terminal is released after it, because other prompts read it as well. */
async function askOne(
  context: CliContext,
  client: ShiplogClient,
  {
    question,
    trust,
    signal,
  }: { question: Question; trust: TrustedConfigurations; signal: AbortSignal },
): Promise<void> {
  const trusted = trustedIn(question, trust)
  if (trusted) return allowTrusted(context, client, trusted, trust)
  await context.progress.settled()
  const release = context.progress.hold()
  const answer = createTypedAnswers(context.host, signal)
  try {
    if (question.kind === 'budget') await askAboutBudget(context, client, question.tree, answer)
    else {
      const { id } = question.permission
      const decision = await askPermission(context, question.permission, answer)
      await client.permissions.answer({ id, decision })
    }
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof InputEnded && question.kind === 'permission')
      await denyUnanswered(context, client, question.permission)
    // Another rule may have answered it, or its run has ended.
    else await context.warn(messageOf(error))
  } finally {
    await release()
  }
}
