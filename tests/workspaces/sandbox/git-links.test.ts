/** Links that a sandboxed command leaves in the folder of Git, named or placed so that they are hard to find. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { linksIn, removeNewLinks } from '../../../src/main/workspaces/sandbox/git-links.ts'
import { temporaryDir } from '../../harness.ts'
import { asUnprivilegedUser } from '../../unprivileged.ts'

/** Some disks, such as those of macOS, take no such name. */
const takesAnyBytes = process.platform === 'linux'

async function repository() {
  const root = await temporaryDir()
  for (const name of ['logs/heads', 'objects/pack', 'objects/ab', 'victim'])
    mkdirSync(path.join(root, name), { recursive: true })
  const folders = { whole: [path.join(root, 'logs')], objects: path.join(root, 'objects') }
  return { root, folders, before: await linksIn(folders) }
}

const isThere = (file: string | Buffer) => lstatSync(file, { throwIfNoEntry: false }) !== undefined

it.runIf(takesAnyBytes)(
  'finds links whose names, or those of folders above, are no text',
  async () => {
    const { root, folders, before } = await repository()
    const folder = Buffer.from(`${root}/logs/heads/a\xff`, 'latin1')
    mkdirSync(folder)
    const links = [
      Buffer.concat([folder, Buffer.from('/below')]),
      Buffer.from(`${root}/logs/\xfe`, 'latin1'),
      Buffer.from(`${root}/logs/\xfd`, 'latin1'),
      Buffer.from(`${root}/objects/pack/\xff`, 'latin1'),
    ]
    for (const link of links) symlinkSync(path.join(root, 'victim'), link)
    expect(await removeNewLinks(folders, before)).toHaveLength(links.length)
    expect(links.filter(isThere)).toEqual([])
  },
)

it('finds links in folders that can’t be listed, and removes them from those that can’t be changed', async () => {
  const { root, folders, before } = await repository()
  const places = ['logs/closed', 'logs/fixed', 'logs', 'objects'].map((one) => path.join(root, one))
  const links = places.map((one) => path.join(one, 'link'))
  for (const [at, place] of places.entries()) {
    mkdirSync(place, { recursive: true })
    symlinkSync(path.join(root, 'victim'), links[at] ?? '')
  }
  asUnprivilegedUser(root)
  for (const [at, place] of places.entries()) chmodSync(place, at === 1 ? 0o555 : 0o111)
  chmodSync(path.join(root, 'victim'), 0o555)
  expect((await removeNewLinks(folders, before)).toSorted()).toEqual(links.toSorted())
  for (const place of places) chmodSync(place, 0o755)
  expect(links.filter(isThere)).toEqual([])
  expect(lstatSync(path.join(root, 'victim')).mode & 0o777).toBe(0o555)
})

it('keeps links that were there before, and what is no link', async () => {
  const { root, folders } = await repository()
  const own = path.join(root, 'logs/own')
  const changed = path.join(root, 'logs/changed')
  for (const link of [own, changed]) symlinkSync('heads', link)
  writeFileSync(path.join(root, 'logs/heads/main'), 'a log')
  symlinkSync('x', path.join(root, 'objects/ab/file'))
  const before = await linksIn(folders)
  unlinkSync(changed)
  symlinkSync(root, changed)
  expect(await removeNewLinks(folders, before)).toEqual([changed])
  expect(readdirSync(path.join(root, 'logs')).toSorted()).toEqual(['heads', 'own'])
  expect(isThere(path.join(root, 'objects/ab/file'))).toBe(true)
})
