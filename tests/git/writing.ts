/** Merges and updates as the workspaces make them, without a ledger. */

import type { RunGit } from '../../src/main/git/command/run-git.ts'
import type { Git, MergeAnswer, WriteUpdate } from '../../src/main/git/index.ts'
import type { OpenSnapshot } from '../../src/main/git/snapshots/snapshot.ts'
import { planUpdate, type UpdatePlan } from '../../src/main/git/update/plan.ts'
import { swapFiles } from '../../src/main/workspaces/file-updates/swap-files.ts'
import { appliedFileLine } from '../../src/shared/agents/tools.ts'
import { newUpdateId } from '../../src/shared/records/ids.ts'
import { git } from './repository.ts'

const swapRequest = ({ root, updateId, manifest }: UpdatePlan) => ({
  git,
  root,
  updateId,
  manifest,
})

export const write: WriteUpdate = async (plan) => {
  const swapped = await swapFiles({ ...swapRequest(plan), direction: 'forward', changed: 'refuse' })
  return swapped.kind === 'swapped' ? { kind: 'written' } : { ...swapped, kind: 'edited' }
}

export const undo = (plan: UpdatePlan) =>
  swapFiles({ ...swapRequest(plan), direction: 'backward', changed: 'leave' })

type Input<Name extends 'mergeInto' | 'mergePatchInto'> = Omit<
  Parameters<Git[Name]>[0],
  'updateId' | 'write'
>

export const mergeInto = async (input: Input<'mergeInto'>) =>
  briefly(await git.mergeInto({ ...input, updateId: newUpdateId(), write }))
export const mergePatchInto = async (input: Input<'mergePatchInto'>) =>
  briefly(await git.mergePatchInto({ ...input, updateId: newUpdateId(), write }))

/** Each file as a line. */
const briefly = (answer: MergeAnswer) =>
  answer.kind === 'applied' ? { ...answer, files: answer.files.map(appliedFileLine) } : answer

export async function updateWorkingTree(run: RunGit, snapshot: OpenSnapshot, tree: string) {
  const planned = await planUpdate(run, snapshot, tree, { updateId: newUpdateId() })
  if (planned.kind !== 'planned') return planned
  const written = await write(planned.plan)
  return written.kind === 'written'
    ? { kind: 'updated' as const, paths: planned.plan.manifest.files.map(({ path }) => path) }
    : written
}
