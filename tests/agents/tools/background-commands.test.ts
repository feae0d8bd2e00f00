import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCustody } from '../../../src/main/processes/custody.ts'
import { newTaskId, newToolCallId } from '../../../src/shared/records/ids.ts'
import { detailOf, openToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
const taskId = newTaskId()
beforeEach(async () => {
  bench = await openToolBench()
})
afterEach(async () => {
  await bench.custody.endAll(taskId)
  await bench.close()
})

const call = (name: string, input: object) =>
  bench.call(name, input, { taskId, callId: newToolCallId() })
const start = (command: string, more: object = {}) =>
  call('bash', { command, background: true, ...more })

/** Looks until it has printed `text`. */
async function untilPrinted(id: string, text: string): Promise<string> {
  for (let all = ''; ; ) {
    const { output } = await call('bash_output', { id, waitMs: 20 })
    all += output
    if (all.includes(text)) return all
    if (!output.includes('is still running')) throw new Error(`ended without ${text}: ${all}`)
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('returns at once, and later the output in pieces', async () => {
  await call('bash', { command: 'mkfifo pipe' })
  const started = await start('echo first; read line < pipe; echo "second $line"; exit 3')
  expect(started).toMatchObject({ outcome: 'ok', detail: { kind: 'background', id: 'b1' } })
  const id = 'b1'
  await untilPrinted(id, 'first')
  expect((await call('bash_output', { id })).output).toBe('[nothing new]\n[b1 is still running]')
  await call('bash', { command: 'echo go > pipe' })
  const last = await call('bash_output', { id, waitMs: 60_000 })
  expect(last.output).toBe('second go\n[b1 ended with exit code 3]')
  expect(detailOf(last, 'background')).toMatchObject({ state: 'ended', exitCode: 3 })
})

it('starts in the directory of the shell, and does not change the shell', async () => {
  await call('bash', { command: 'mkdir sub && cd sub && export WORD=here' })
  await start('echo "$WORD in $PWD"; cd /; export WORD=gone')
  expect((await call('bash_output', { id: 'b1', waitMs: 60_000 })).output).toContain(
    `here in ${bench.dir}/sub`,
  )
  expect((await call('bash', { command: 'echo "$WORD in $PWD"' })).output).toBe(
    `here in ${bench.dir}/sub`,
  )
})

it('keeps the output of a command that ends before its start is recorded', async () => {
  const { begin } = bench.custody
  bench.custody.begin = async (...whose) => {
    const running = await begin(...whose)
    return { ...running, started: (pid) => delay(300).then(() => running.started(pid)) }
  }
  await start('echo quick')
  const { output } = await call('bash_output', { id: 'b1', waitMs: 60_000 })
  expect(output).toBe('quick\n[b1 ended with exit code 0]')
})

it('ends a command with all it has started, and removes its folder', async () => {
  await start('sleep 1000 & echo "pid $!."; wait')
  const pid = Number(/pid (\d+)\./.exec(await untilPrinted('b1', '.'))?.[1])
  expect(isAlive(pid)).toBe(true)
  const ended = await call('bash_kill', { id: 'b1' })
  expect(ended.output).toContain('[b1 was ended by a signal]')
  expect(await readdir(bench.running)).toEqual([])
  expect((await call('bash', { command: `ps -o stat= -p ${pid} | grep -v Z` })).output).not.toMatch(
    /[RSD]/,
  )
})

it('ends a command at its time limit', async () => {
  await start('sleep 1000', { timeoutMs: 50 })
  const { output, detail } = await call('bash_output', { id: 'b1', waitMs: 60_000 })
  expect(output).toContain('reached its time limit and was ended')
  expect(detail).toMatchObject({ state: 'timed-out', exitCode: null })
})

it('ends with its run, even if it removed its marker', async () => {
  await start('exec env -i sleep 1000')
  await start('sleep 1000')
  await bench.custody.endAll(taskId)
  for (const id of ['b1', 'b2'])
    expect((await call('bash_output', { id, waitMs: 60_000 })).output).toContain('by a signal')
  expect(await readdir(bench.running)).toEqual([])
})

it('leaves the commands of other runs alone', async () => {
  await start('sleep 1000')
  await bench.custody.endAll(newTaskId())
  await createCustody(bench.outside).endAll(taskId)
  expect((await call('bash_output', { id: 'b1' })).output).toContain('is still running')
})

it('stops waiting when the run is stopped', async () => {
  await start('sleep 1000')
  const waiting = call('bash_output', { id: 'b1', waitMs: 600_000 })
  bench.abort.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
})

it('lists the commands if an id is wrong, and refuses too many commands', async () => {
  expect((await call('bash_output', { id: 'b1' })).output).toContain('background: true')
  for (let count = 0; count < 10; count++) await start('sleep 1000')
  expect((await start('sleep 1000')).output).toContain('End one with bash_kill')
  expect((await call('bash_kill', { id: 'b99' })).output).toContain('There is b1, b2')
})

it('[K3] masks secrets, also when they come in two pieces', async () => {
  bench.secrets.learn([{ name: 'KEY', value: 'sk-live-0123456789abcdef' }])
  await start('printf sk-live-01234; printf "" ; sleep 0.1; echo 56789abcdef')
  const { output } = await call('bash_output', { id: 'b1', waitMs: 60_000 })
  expect(output).toContain('[hidden: KEY]')
  expect(output).not.toContain('sk-live')
})
