import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { environmentOf, findMarkedProcesses } from '../../src/main/processes/mark.ts'
import { temporaryDir } from '../harness.ts'

const onLinux = it.runIf(process.platform === 'linux')

onLinux('finds a process at each moment while it replaces its program', async () => {
  // Its environment reads as empty for a part of each exec, and it does nothing else.
  const program = join(await temporaryDir(), 'again')
  await writeFile(program, '#!/bin/sh\nexec "$0"\n')
  await chmod(program, 0o755)
  const mark = { custody: 'here', owner: 'task', id: 'replaced' }
  const env = { ...process.env, ...environmentOf(mark) }
  const child = spawn(program, { detached: true, stdio: 'ignore', env })
  onTestFinished(() => void child.kill('SIGKILL'))
  for (let n = 0; n < 40; n++)
    expect(await findMarkedProcesses()).toContainEqual({ ...mark, group: child.pid })
})
