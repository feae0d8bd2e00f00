/** What a damage to a data directory is, and the ways to do one. */
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ProblemKind } from '../../../src/shared/contract/doctor.ts'
import type { Patient } from '../patient.ts'

export interface Damage {
  kind: ProblemKind
  why: string
  harm: (patient: Patient) => Promise<unknown>
  /** What the problem's path ends in. */
  at: RegExp
  detail: RegExp
  repairable: boolean
  /** Found as well, because the same harm shows in more than one place. */
  also?: ProblemKind[]
  /** What must be true after `--repair`. */
  kept?: (patient: Patient) => Promise<void> | void
}

/** That the repair moved it to the trash. */
export const trashed = async ({ dataDir }: Patient, name: string) => {
  const files = readdirSync(join(dataDir, 'trash'), { recursive: true })
  expect(files.some((file) => String(file).endsWith(name))).toBe(true)
}

export const leafTranscript = ({ session, leafId }: Patient, ...names: string[]) =>
  session('subagent-transcripts', leafId, ...names)

export const flipByte = async (path: string, at: number) => {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}

export const dropLastLine = async (path: string) => {
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1))
}

/** What an index file holds, as far as a damage changes it. */
export interface Index {
  version: number
  artifactsByChildTaskId: Record<string, unknown>
}

export const changeIndex = async (path: string, change: (index: Index) => void) => {
  const index = JSON.parse(await readFile(path, 'utf8')) as Index
  change(index)
  await writeFile(path, JSON.stringify(index))
}

/** The id of no task. */
export const strayId = '0d1f3c60-5b1e-4a4e-8a11-2f6a3f0b9c77'
