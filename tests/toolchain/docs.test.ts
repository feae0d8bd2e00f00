/** What the pages list is what the code has: a thing that is added is named there too. */
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../src/main/hosts/cli/program/program.ts'
import { entrySchema } from '../../src/shared/records/entries.ts'
import { ledgerEventSchema } from '../../src/shared/records/ledger.ts'
import { projectFiles, readProjectFile } from './tracked-files.ts'

describe('a page names every', () => {
  it('entry type, in the format of a session', () => {
    const page = readProjectFile('src/main/sessions/FORMAT.md')
    const types = entrySchema.options.map((option) => option.shape.type.value)
    expect(types.length).toBeGreaterThan(10)
    expect(types.filter((type) => !page.includes(`\`${type}\``))).toEqual([])
  })

  it('event, in the format of the ledger', () => {
    const page = readProjectFile('src/main/ledger/FORMAT.md')
    const types = ledgerEventSchema.options.map((option) => option.shape.type.value)
    expect(types.length).toBeGreaterThan(10)
    expect(types.filter((type) => !page.includes(`\`${type}\``))).toEqual([])
  })

  it('command, in the page of the command line', () => {
    const page = readProjectFile('docs/CLI.md')
    const program = createProgram({
      version: '',
      columns: 80,
      writeOut: () => undefined,
      writeErr: () => undefined,
      onCommand: () => undefined,
    })
    const missing = program.commands.flatMap((group) =>
      group.commands.length === 0
        ? [group.name()].filter((name) => !page.includes(`\`shiplog ${name}`))
        : group.commands
            .map((command) => command.name())
            .filter((name) => !new RegExp(`\\b${group.name()}\\b.*\\b${name}\\b`).test(page))
            .map((name) => `${group.name()} ${name}`),
    )
    expect(missing).toEqual([])
  })
})

it('the page of rules has those that code, pages and tests refer to, and no others', () => {
  const page = 'docs/RULES.md'
  const listed = [...readProjectFile(page).matchAll(/^- \*\*([A-Z]\d+)\*\* /gm)].map(
    ([, rule]) => rule,
  )
  const cited = projectFiles()
    .filter((path) => /^(docs|src|tests|bench)\/.*\.(md|tsx?)$/.test(path) && path !== page)
    .flatMap((path) => [...readProjectFile(path).matchAll(/[[(]((?:[A-Z]\d{1,2}(?:, )?)+)[\])]/g)])
    .flatMap(([, rules = '']) => rules.split(', '))
  expect(listed.toSorted()).toEqual([...new Set(cited)].toSorted())
})

it('a page names no source file that is not there', () => {
  const files = projectFiles()
  const stale = files
    .filter((path) => /^(docs|src|tests|bench)\/.*\.md$|^[^/]+\.md$/.test(path))
    .flatMap((page) =>
      [...readProjectFile(page).matchAll(/`([a-z][\w.-]*\/[\w./-]*\.(?:tsx?|mjs|spec\.ts))`/g)]
        .map(([, named]) => named ?? '')
        .filter((named) => !files.some((path) => path === named || path.endsWith(`/${named}`)))
        .map((named) => `${page}: ${named}`),
    )
  expect(stale).toEqual([])
})
