/** What agents of this process need a person for, asked in the terminal, one question at a time. */
import { createInterface } from 'node:readline/promises'
import type { PendingPermission } from '../../../../shared/agents/permissions.ts'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import { foldLedgerRecord } from '../../../../shared/projections/ledger/fold-ledger.ts'
import { createSnapshotJoiner } from '../../../../shared/projections/ledger/ledger-snapshot.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../../../shared/projections/ledger/ledger-state.ts'
import type { CliContext } from '../context.ts'
import { askAboutBudget, type PausedTree, pausedTrees } from './budget-prompt.ts'
import { askPermission } from './permission-prompt.ts'

/** Whether a person sits at the terminal of this command. */
export const canAskIn = ({ host, err, json }: CliContext): boolean =>
  host.stdin.isTTY === true && err.isTTY && !json

/** Asks until the signal is aborted. Never rejects. */
export async function askPerson(
  context: CliContext,
  client: ShiplogClient,
  signal: AbortSignal,
): Promise<void> {
  try {
    const waiting = listen(client, signal)
    while (!signal.aborted) {
      const changed = waiting.changed()
      const [question] = waiting.questions()
      if (question === undefined) await changed
      else await askOne(context, client, question, signal)
      if (question) waiting.answered(question)
    }
  } catch {
    // The command ends, or its terminal was closed: its agents are interrupted.
  }
}

type Question = { key: string } & (
  | { kind: 'permission'; permission: PendingPermission }
  | { kind: 'budget'; tree: PausedTree }
)

interface Waiting {
  /** Without those that were answered. */
  questions(): Question[]
  answered(question: Question): void
  /** Resolves when there may be others, or when no more will come. */
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

/** Others read the terminal as well, so it is held for one question. */
async function askOne(
  context: CliContext,
  client: ShiplogClient,
  question: Question,
  signal: AbortSignal,
): Promise<void> {
  const { stdin, stderr } = context.host
  await context.progress.settled()
  const release = context.progress.hold()
  // In its own mode a terminal would give Ctrl-C to the question, and not to the command.
  const input = createInterface({ input: stdin, output: stderr, terminal: false })
  const answer = (text: string) => input.question(text, { signal })
  try {
    if (question.kind === 'budget') await askAboutBudget(context, client, question.tree, answer)
    else {
      const { id } = question.permission
      const decision = await askPermission(context, question.permission, answer)
      await client.permissions.answer({ id, decision })
    }
  } catch (error) {
    if (signal.aborted) throw error
    // Another rule may have answered it, or its run has ended.
    await context.warn(error instanceof Error ? error.message : String(error))
  } finally {
    input.close()
    await release()
  }
}
