import { describe, expect, it } from 'vitest'
import { findCircularImports, findForbiddenImports, packageSides } from './import-table.ts'
import { projectFiles, readProjectFile } from './tracked-files.ts'

const sources = projectFiles()
  .filter((path) => /^src\/.*\.tsx?$/.test(path))
  .map((path) => ({ path, text: readProjectFile(path) }))

describe('the import table', () => {
  it('holds for every file in src', () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(findForbiddenImports(sources).join('\n')).toBe('')
  })

  it('has a side for each dependency', () => {
    const { dependencies } = JSON.parse(readProjectFile('package.json'))
    const { node, page, both } = packageSides
    const listed = [...node, ...page, ...both].filter((name) => name !== 'electron')
    expect(listed.toSorted()).toEqual(Object.keys(dependencies).toSorted())
  })

  it('has no circle: each file can be read after those that it imports', () => {
    expect(findCircularImports(sources).join('\n')).toBe('')
  })

  it('names a circle by its files', () => {
    const files = [
      { path: 'src/main/git/a.ts', text: "import { b } from './deep/b.ts'" },
      { path: 'src/main/git/deep/b.ts', text: "import type { C } from '../c.ts'" },
      { path: 'src/main/git/c.ts', text: "export { a } from './a.ts'\nimport './d.ts'" },
      { path: 'src/main/git/d.ts', text: '' },
    ]
    expect(findCircularImports(files)).toEqual([
      'src/main/git/a.ts imports src/main/git/deep/b.ts imports src/main/git/c.ts imports src/main/git/a.ts.',
    ])
  })

  it.each([
    ['src/shared/a.ts', "import { readFile } from 'node:fs/promises'"],
    ['src/shared/a.ts', "import { join } from 'path'"],
    ['src/shared/a.ts', "import { app } from 'electron'"],
    ['src/shared/a.ts', "import { useState } from 'react'"],
    ['src/shared/a.ts', "import type { Journal } from '../main/journal/index.ts'"],
    ['src/preload/index.ts', "import { parseTaskId } from '../shared/ids.ts'"],
    ['src/renderer/rpc/a.ts', "import { x } from '../store/a.ts'"],
    ['src/renderer/store/a.ts', "import { x } from '../components/a.tsx'"],
    ['src/renderer/components/a.tsx', "import { x } from '../store/a.ts'"],
    ['src/renderer/components/a.tsx', "import type { X } from '../rpc/a.ts'"],
    ['src/renderer/store/a.ts', "import { X } from '../views/a.tsx'"],
    ['src/renderer/views/a.tsx', "import { join } from 'node:path'"],
    ['src/renderer/views/a.tsx', "import { ipcRenderer } from 'electron'"],
    ['src/renderer/views/a.tsx', "import { McpServer } from '@modelcontextprotocol/server'"],
    ['src/renderer/views/a.tsx', "import { rgPath } from '@vscode/ripgrep'"],
    ['src/renderer/views/a.tsx', "export * from '../../main/rpc/index.ts'"],
    ['src/renderer/views/a.tsx', "import { tasks } from '../../../tests/fixtures/tasks.ts'"],
    ['src/main/journal/a.ts', "import { openLedger } from '../ledger/index.ts'"],
    ['src/main/journal/a.ts', "const later = () => import('../tasks/index.ts')"],
    ['src/main/artifacts/a.ts', "let tasks: import('../tasks/index.ts').TaskService"],
    ['src/main/agents/scripted/a.ts', "import { x } from '../../tasks/index.ts'"],
    ['src/main/hosts/web/a.ts', "import { openShiplog } from '../../composition/shiplog.ts'"],
    ['src/main/hosts/web/a.ts', "import { app } from 'electron'"],
    ['src/main/hosts/web/a.ts', "import { expect } from '../../../../tests/a.ts'"],
    ['src/main/tasks/a.ts', "import { create } from 'zustand'"],
    ['src/main/composition/shiplog.ts', "import { view } from '../../renderer/view.ts'"],
    ['src/main/cli.ts', "import { x } from './tasks/index.ts'"],
  ])('refuses in %s: %s', (path, text) => {
    const problems = findForbiddenImports([{ path, text }])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`${path} imports `)
    expect(problems[0]).toContain(' may import ')
  })

  it.each([
    [
      'src/shared/a.ts',
      "import { z } from 'zod'\nimport './b.ts'\nexport * from './contract/c.ts'",
    ],
    ['src/preload/index.ts', "import { contextBridge } from 'electron'"],
    ['src/renderer/views/a.tsx', "import { parseTaskId } from '../../shared/ids.ts'\n<a />"],
    [
      'src/renderer/views/a.stories.tsx',
      "import { tasks } from '../../../tests/fixtures/tasks.ts'",
    ],
    ['src/renderer/components/a.stories.tsx', "import { x } from '../../../storybook/a.tsx'"],
    ['src/renderer/views/a.tsx', "import { x } from '../store/a.ts'\nimport '../components/b.tsx'"],
    ['src/renderer/store/a.ts', "import { x } from '../rpc/a.ts'"],
    ['src/main/tasks/a.ts', "import { x } from '../workspaces/index.ts'\nimport 'node:fs'"],
    ['src/main/hosts/desktop/window.ts', "import { BrowserWindow } from 'electron'"],
    ['src/main/hosts/web/a.ts', "import type { Shiplog } from '../../composition/shiplog.ts'"],
    ['src/main/composition/shiplog.ts', "import { x } from '../agents/index.ts'"],
    [
      'src/main/index.ts',
      "import { app } from 'electron'\nimport { x } from './composition/shiplog.ts'",
    ],
  ])('allows in %s: %s', (path, text) => {
    expect(findForbiddenImports([{ path, text }])).toEqual([])
  })

  it('keeps stories out of the app', () => {
    const text = "import { Plain } from './a.stories.tsx'"
    const problems = findForbiddenImports([{ path: 'src/renderer/views/a.tsx', text }])
    expect(problems.join()).toContain('the app imports none')
  })

  it('wants a row for a new folder', () => {
    const problems = findForbiddenImports([{ path: 'src/main/utils/a.ts', text: '' }])
    expect(problems.join()).toContain('lies in no part that the import table knows')
  })
})
