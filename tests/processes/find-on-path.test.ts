import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { absoluteEntries, findOnPath } from '../../src/main/processes/find-on-path.ts'
import { temporaryDir } from '../git/repository.ts'

async function program(dir: string, name: string): Promise<string> {
  const file = join(dir, name)
  await writeFile(file, '#!/bin/sh\n')
  await chmod(file, 0o755)
  return file
}

it('finds a program in the first absolute entry that has it', async () => {
  const [first, second] = [await temporaryDir(), await temporaryDir()]
  await mkdir(join(first, 'tool'))
  await writeFile(join(first, 'other'), 'not executable')
  const tool = await program(second, 'tool')
  const path = [first, second].join(delimiter)
  expect(await findOnPath(path, 'tool')).toBe(tool)
  expect(await findOnPath(path, 'other')).toBeNull()
})

it('[K8] ignores empty and relative entries, which lead into the working directory', async () => {
  const dir = await temporaryDir()
  await program(dir, 'tool')
  const here = relative(process.cwd(), dir)
  for (const entry of [here, `./${here}`]) expect(await findOnPath(entry, 'tool')).toBeNull()
  expect(absoluteEntries(['', here, dir, '.', ''].join(delimiter))).toBe(dir)
})
