/** File trees as they are on disk: read, written and compared whole. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Tree } from './trace.ts'

const ownDir = { recursive: true, mode: 0o700 }

/** Everything below `root`, links not followed, by relative path. Nothing there is an empty tree. */
export function readTree(root: string): Tree {
  const tree: Tree = new Map()
  const visit = (below: string): void => {
    for (const name of readdirSync(join(root, below)).sort()) {
      const path = below === '' ? name : `${below}/${name}`
      const status = lstatSync(join(root, path))
      if (status.isSymbolicLink()) {
        tree.set(path, { kind: 'link', target: readlinkSync(join(root, path)) })
      } else if (status.isDirectory()) {
        tree.set(path, { kind: 'dir' })
        visit(path)
      } else tree.set(path, { kind: 'file', data: readFileSync(join(root, path)) })
    }
  }
  if (lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) visit('')
  return tree
}

/** Writes a tree into `root`, which it makes, for the owner alone. Parents stand before what they hold. */
export function writeTree(root: string, tree: Tree): void {
  mkdirSync(root, ownDir)
  for (const [path, node] of tree) {
    const target = join(root, path)
    if (node.kind === 'dir') mkdirSync(target, ownDir)
    else {
      mkdirSync(dirname(target), ownDir)
      if (node.kind === 'link') symlinkSync(node.target, target)
      else writeFileSync(target, node.data, { mode: 0o600 })
    }
  }
}

/** Paths that differ between two trees, for messages; empty when they are the same. */
export function differences(before: Tree, after: Tree): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths.flatMap((path) => {
    const [a, b] = [before.get(path), after.get(path)]
    if (!a) return [`${path} appeared`]
    if (!b) return [`${path} went`]
    if (a.kind !== b.kind) return [`${path} is another thing`]
    if (a.kind === 'file' && b.kind === 'file' && !a.data.equals(b.data)) return [`${path} changed`]
    if (a.kind === 'link' && b.kind === 'link' && a.target !== b.target) return [`${path} changed`]
    return []
  })
}
