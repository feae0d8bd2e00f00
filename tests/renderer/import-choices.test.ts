import { expect, it } from 'vitest'
import {
  choicesOf,
  keyOf,
  nothingLeftOut,
  withFolders,
  withSession,
} from '../../src/renderer/views/imports/import-choices.ts'
import type { ImportSourceFound } from '../../src/shared/contract/imports.ts'

const folder = (dir: string, sessions: number, imported = 0) => ({
  dir,
  sessions,
  imported,
  bytes: sessions * 10,
  expiringSoon: 0,
  lastAt: '2026-10-01T00:00:00.000Z',
})
const source: ImportSourceFound = {
  tool: 'codex',
  path: '/home/ada/.codex',
  sessions: 6,
  subAgents: 0,
  bytes: 60,
  projects: 3,
  expiringSoon: 0,
  keptDays: null,
  hidden: 0,
  imported: 1,
  byProject: [folder('/a', 3), folder('/b', 2), folder('/c', 1, 1)],
}
const all = ['s1', 's2', 's3'].map((session) => ({ session, bytes: 10 }))
const [s1, s2, s3] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]]
const key = keyOf('codex', '/a')
const toggled = (leftOut = nothingLeftOut, session = s1, isTaken = false, older = 0) =>
  withSession(leftOut, { key, session, all, older }, isTaken)

it('imports a tool as a whole, its chosen folders, or those without single sessions', () => {
  expect(choicesOf([source])).toEqual([
    { tool: 'codex', projects: null, expected: { sessions: 5, bytes: 50 } },
  ])
  expect(choicesOf([source], withFolders(nothingLeftOut, [key], false))).toEqual([
    { tool: 'codex', projects: ['/b'], expected: { sessions: 2, bytes: 20 } },
  ])
  expect(choicesOf([source], toggled())).toEqual([
    { tool: 'codex', projects: ['/a', '/b'], except: ['s1'], expected: { sessions: 4, bytes: 40 } },
  ])
})

it('leaves out a folder with its last session, and begins with one session of a folder that was left out', () => {
  const none = toggled(toggled(toggled(), s2), s3)
  expect(none).toEqual(withFolders(nothingLeftOut, [key], false))
  // Sessions that are not listed are still imported.
  expect([...toggled(toggled(toggled(), s2), s3, false, 1).folders]).toEqual([])
  const one = toggled(none, s2, true)
  expect(one.folders.size).toBe(0)
  expect([...(one.sessions.get(key)?.keys() ?? [])]).toEqual(['s1', 's3'])
  expect(toggled(toggled(one, s1, true), s3, true)).toEqual(nothingLeftOut)
})
