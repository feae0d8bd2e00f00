/** Memory of an import, which a session of any size must not exceed (I6). In a process of its own. */
import { join } from 'node:path'
import { expect } from 'vitest'
import { writeSession } from '../../bench/data/claude-code-sessions.ts'
import { buildProbe } from '../../bench/runner/build-probe.ts'
import { probe } from '../../bench/runner/child-process.ts'
import { temporaryDir } from '../harness.ts'
import { itInSoak } from '../soak.ts'

const bytes = 400_000_000
const memoryMbMax = 300

itInSoak('[I6] imports a session of 400 MB in bounded memory', { timeout: 600_000 }, async () => {
  const dir = await temporaryDir()
  const path = await writeSession(join(dir, 'claude'), 1, bytes)
  const dataDir = join(dir, 'data')
  const input = { dataDir, path, sessions: 1, isNew: true }
  const { peakMb } = await probe('import', input, await buildProbe(dir))
  expect(peakMb).toBeLessThan(memoryMbMax)
})
