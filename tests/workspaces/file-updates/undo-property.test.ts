/** Any changes on both sides: applied they are the merge, and taken back everything is exactly as it was. */

import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { mergeTrees } from '../../../src/main/git/merge/merge-trees.ts'
import { withSnapshot } from '../../../src/main/git/snapshots/snapshot.ts'
import { planUpdate } from '../../../src/main/git/update/plan.ts'
import { newUpdateId } from '../../../src/shared/records/ids.ts'
import { isSoak, seed, soakFactor } from '../../crash/effort.ts'
import { git, makeRepository, openRepository, temporaryDir, testEnv } from '../../git/repository.ts'
import { undo, write } from '../../git/writing.ts'
import fc, { anyText } from '../../random.ts'

const run = createRunGit({ env: testEnv })

const names = [
  'a.txt',
  'b.bat',
  'deep/c.txt',
  'deep/er/d.txt',
  'e',
  'e/f',
  'run.sh',
  'ünï "x"\n.txt',
]
const first = Object.fromEntries(
  names.filter((name) => name !== 'e/f').map((name) => [name, `${name}\n1\n2\n3\n4\n5\n`]),
)

const change = fc.record({
  name: fc.constantFrom(...names, 'new.txt', 'new/x.bin', 'Deep/c.txt'),
  what: fc.oneof(
    fc.record({ kind: fc.constant('write' as const), text: anyText() }),
    fc.constant({ kind: 'crlf' as const }),
    fc.constant({ kind: 'remove' as const }),
    fc.constant({ kind: 'executable' as const }),
    fc.record({ kind: fc.constant('link' as const), to: fc.constantFrom('a.txt', 'nowhere') }),
    fc.record({ kind: fc.constant('edit-end' as const), text: fc.constantFrom('x', 'y') }),
  ),
})

async function make(
  dir: string,
  { name, what }: typeof change extends fc.Arbitrary<infer T> ? T : never,
) {
  const file = path.join(dir, name)
  try {
    if (what.kind === 'remove') return await rm(file, { recursive: true })
    if (what.kind === 'executable') return await chmod(file, 0o755)
    await mkdir(path.dirname(file), { recursive: true })
    if (what.kind === 'write') await writeFile(file, what.text)
    if (what.kind === 'crlf') await writeFile(file, 'mixed\r\nline\nendings\r\n')
    if (what.kind === 'edit-end') await writeFile(file, `${first[name] ?? ''}${what.text}\n`)
    if (what.kind === 'link') {
      await rm(file, { force: true })
      await symlink(what.to, file)
    }
  } catch {
    // A folder is in its place, or nothing is: another change.
  }
}

it('restores every byte, mode, link and folder after any apply, and applies again', {
  timeout: isSoak ? 1_200_000 : 300_000,
}, async () => {
  let applied = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 4 }),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (mine, theirs, attributes) => {
        const parent = await makeRepository({
          ...first,
          '.gitattributes': attributes ? '*.txt text=auto\n*.bat text eol=crlf\n' : '',
        })
        const base = (await git.snapshot(parent.dir)).tree
        const dir = path.join(await temporaryDir(), 'child')
        const from = parent.git('rev-parse', 'HEAD')
        await git.createWorktree({ repoDir: parent.dir, path: dir, branch: 'child', from })
        const child = openRepository(dir)
        for (const one of theirs) await make(child.dir, one)
        for (const one of mine) await make(parent.dir, one)
        await mkdir(path.join(parent.dir, 'empty'), { recursive: true })
        const theirTree = (await git.snapshot(child.dir)).tree
        const before = await parent.account()
        await withSnapshot(run, parent.dir, {}, async (snapshot) => {
          const merged = await mergeTrees(snapshot.quarantine.git, {
            dir: parent.dir,
            base,
            ours: snapshot.tree,
            theirs: theirTree,
          })
          if (merged.kind === 'conflict') return
          const planned = await planUpdate(run, snapshot, merged.tree, { updateId: newUpdateId() })
          expect(await parent.account()).toEqual(before)
          if (planned.kind !== 'planned') return
          applied++
          expect(await write(planned.plan)).toEqual({ kind: 'written' })
          expect((await git.snapshot(parent.dir)).tree).toBe(merged.tree)
          const after = await parent.account()
          expect(await undo(planned.plan)).toEqual({ kind: 'swapped', left: [] })
          expect(await parent.account()).toEqual(before)
          expect(await write(planned.plan)).toEqual({ kind: 'written' })
          expect(await parent.account()).toEqual(after)
        })
      },
    ),
    { numRuns: isSoak ? 20 * soakFactor : 8, seed },
  )
  expect(applied).toBeGreaterThan(4)
})
