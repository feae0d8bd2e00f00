import { describe, expect, it } from 'vitest'
import { projectFiles, readProjectFile } from './tracked-files.ts'
import { findUnusedExports } from './unused-exports.ts'

const unusedIn = (texts: Record<string, string>) =>
  findUnusedExports(Object.entries(texts).map(([path, text]) => ({ path, text }))).map(
    (sentence) => sentence.split(',')[0],
  )

describe('what src exports', () => {
  it('is imported by somebody', () => {
    const files = projectFiles()
      .filter((path) => /\.(ts|tsx|mjs)$/.test(path))
      .map((path) => ({ path, text: readProjectFile(path) }))
    expect(files.some(({ path }) => path.startsWith('src/'))).toBe(true)
    expect(findUnusedExports(files).join('\n')).toBe('')
  })

  it('is named when nobody takes it, whatever it is', () => {
    expect(
      unusedIn({
        'src/shared/a.ts': `
          export const one = 1, two = 2
          export function three() {}
          export async function* four() {}
          export class Five {}
          export interface Six {}
          export type Seven = 7
          const eight = 8
          export { eight, eight as nine }
          export default 10`,
        'src/shared/b.ts': "import { two } from './a.ts'\ntwo()",
      }),
    ).toEqual(
      ['one', 'three', 'four', 'Five', 'Six', 'Seven', 'eight', 'nine', 'default'].map(
        (name) => `src/shared/a.ts exports ${name}`,
      ),
    )
  })

  it.each([
    ["import { x } from '../../src/main/a.ts'\nx()", []],
    ["import type { x } from '../../src/main/a.ts'\nlet y: x", []],
    ["import { x as y } from '../../src/main/a.ts'\ny()", []],
    ["let y: import('../../src/main/a.ts').x", []],
    ["const all = await import('../../src/main/a.ts?worker')", []],
    ["import * as a from '../../src/main/a.ts'\na.x()", []],
    ["import * as a from '../../src/main/a.ts'\nlet y: a.x", []],
    ["import * as a from '../../src/main/a.ts'\ntell(a)", []],
    ["import * as a from '../../src/main/a.ts'\na.z()", ['src/main/a.ts exports x']],
    ["import { z } from '../../src/main/a.ts'\nz()", ['src/main/a.ts exports x']],
    ["import { x } from '../../src/main/other.ts'\nx()", ['src/main/a.ts exports x']],
    ['const x = 1', ['src/main/a.ts exports x']],
  ])('is taken, or not, by %s', (text, unused) => {
    const files = { 'src/main/a.ts': 'export const x = 1', 'tests/main/a.test.ts': text }
    expect(unusedIn(files)).toEqual(unused)
  })

  it('is an export of its own where it is handed on', () => {
    const files = {
      'src/main/a.ts': 'export const x = 1\nexport const y = 1',
      'src/main/index.ts': "export { x, y as z } from './a.ts'",
      'src/main/b.ts': "import { x } from './index.ts'\nx()",
    }
    expect(unusedIn(files)).toEqual(['src/main/index.ts exports z'])
  })

  it('is looked for behind a file that hands everything on', () => {
    const files = {
      'src/main/a.ts': 'export const x = 1\nexport const y = 1',
      'src/main/index.ts': "export * from './a.ts'",
      'src/main/b.ts': "import { x } from './index.ts'\nx()",
    }
    expect(unusedIn(files)).toEqual(['src/main/a.ts exports y'])
  })

  it('may be a story, which Storybook takes', () => {
    expect(unusedIn({ 'src/renderer/a.stories.tsx': 'export const Plain = <a />' })).toEqual([])
  })
})
