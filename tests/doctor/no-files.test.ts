/** Something else in place of each file of a data directory: nothing waits for it, and the doctor reports it. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { isSoak } from '../crash/effort.ts'
import { makePatient, type Patient } from './patient.ts'

/** In milliseconds. A command that waits for a pipe never ends; any other needs far less, also on a busy machine. */
const timeoutMs = 60_000

const harms: Record<string, (path: string) => Promise<unknown>> = {
  'named pipe': async (path) => execFileSync('mkfifo', [path]),
  directory: (path) => mkdir(path, { mode: 0o700 }),
  socket: (path) =>
    new Promise<void>((resolve, reject) => {
      const server = createServer().on('error', reject)
      onTestFinished(() => void server.close())
      // From its folder: a socket's path may be 107 bytes long.
      const back = process.cwd()
      process.chdir(join(path, '..'))
      server.listen(basename(path), () => resolve())
      process.chdir(back)
    }),
}

/** One of each kind: of several with a name or a place of a kind, the first. */
async function dataFiles({ dataDir }: Patient): Promise<string[]> {
  const seen = new Map<string, string>()
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(dataDir, path)
    // Git opens the other files of a store: it blocks on a pipe in their place, as in any repository.
    if (!entry.isFile() || /^(worktrees|trash|turn-store\/.*\/.*)\//.test(name)) continue
    if (/^turn-store\//.test(name) && !/(config|HEAD)$/.test(name)) continue
    const kind = name.replace(/[0-9a-f-]{36}|[0-9a-f]{64}/g, '*')
    if (!seen.has(kind)) seen.set(kind, name)
  }
  const sometimes = ['settings.json', 'lease.json', 'ledger.snapshot.json', 'trash-seen.json']
  return [...new Set([...seen.values(), ...sometimes])]
}

/** What a user would ask of it, one after the other; each ends, well or with a message. Only a pipe can be waited for. */
async function ask(
  patient: Patient,
  all: boolean,
  inSession: boolean,
): Promise<{ messages: string[]; reported: string[] }> {
  const messages: string[] = []
  const failed = (error: unknown) => void messages.push((error as Error).message)
  let reported: string[] = []
  const { dataDir, rootId, leafId, middleId } = patient
  const shiplog = await openShiplog({ dataDir, host: 'cli' }).catch(failed)
  if (!shiplog) return { messages, reported }
  try {
    const { client } = shiplog
    const { notices } = await client.app.info()
    messages.push(...notices.flatMap(({ text, details }) => [text, ...details]))
    await client.tasks.list({ all: true }).catch(failed)
    if (!all) {
      const { problems } = await client.doctor.check({ repair: false })
      return { messages, reported: problems.map(({ path }) => path) }
    }
    for (const taskId of [rootId, middleId, leafId]) {
      await client.workspace.getSubagentTranscript({ taskId }).catch(failed)
      await client.tasks.report({ taskId }).catch(failed)
    }
    await client.workspace.listTranscripts({}).catch(failed)
    await client.retention.preview({}).catch(failed)
    await client.tasks.prompt({ taskId: rootId, prompt: 'Again' }).catch(failed)
    await client.tasks.stop({ taskId: rootId }).catch(failed)
    const { problems } = await client.doctor.check({ repair: false })
    reported = problems.map(({ path }) => path)
    // What a removal reads is in the sessions; a pipe elsewhere was met by what came before.
    if (isSoak || inSession) await client.workspace.remove({ workspaceId: rootId }).catch(failed)
  } finally {
    await shiplog.close()
  }
  return { messages, reported }
}

/** Each of them is met where the same file is opened. */
const tried = Object.entries(harms).slice(0, isSoak ? undefined : 1)

describe.each(tried)('a %s in place of a file', (kind, harm) => {
  it('[J4] makes nothing wait, is named, and is reported', {
    timeout: 10 * timeoutMs,
  }, async () => {
    const names = await dataFiles(await makePatient())
    expect(names.length).toBeGreaterThan(6)
    for (const name of names) {
      const patient = await makePatient()
      const path = join(patient.dataDir, name)
      await rm(path, { force: true })
      await harm(path)
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => late.reject(new Error(`${name} as a ${kind}: something waits`)),
        timeoutMs,
      )
      const { messages, reported } = await Promise.race([
        ask(patient, kind === 'named pipe', name.startsWith('sessions/')),
        late.promise,
      ])
      clearTimeout(timer)
      // What was kept aside at the start is out of the way.
      const isAside = existsSync(`${path}.damaged-1`)
      const isNamed =
        isAside || [...messages, ...reported].some((text) => text.includes(basename(name)))
      expect({ name, messages, reported, isNamed }).toEqual({
        name,
        messages,
        reported,
        isNamed: true,
      })
    }
  })
})
