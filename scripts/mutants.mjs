// `npm run test:mutants [ID …]`: puts one fault at a time into a copy of the sources, runs the tests that should
// notice it, and names the test that does. A mutant that no test notices has survived. `--list` prints the ids.
// The last line counts them; the exit code is 1 when fewer than nine in ten were killed, or one can't be applied.
// Which test killed a mutant is kept in tests/mutants/killed-by.json, and that test is tried first the next time.
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mutants } from '../tests/mutants/index.ts'

const killedShareMin = 0.9
const runTimeoutMs = 10 * 60_000

const root = fileURLToPath(new URL('..', import.meta.url))
const names = process.argv.slice(2)
if (names.includes('--list')) {
  for (const { id, harm } of mutants) console.log(`${id}  ${harm}`)
  process.exit(0)
}
const chosen = mutants.filter(
  ({ id }) => names.length === 0 || names.some((name) => id.startsWith(name)),
)
if (chosen.length === 0) {
  console.error(
    `No mutant is called ${names.join(', ')}. npm run test:mutants -- --list prints them.`,
  )
  process.exit(2)
}

const killersFile = join(root, 'tests/mutants/killed-by.json')
/** @type {Record<string, { file: string, test?: string }>} */
const killers = JSON.parse(readFileSync(killersFile, 'utf8'))

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'shiplog-mutants-')))
const copy = join(dir, 'sources')
/** The tests' own temporary files, removed with the rest however a run ends. */
const temporary = join(dir, 'tmp')
let child = null
process.on('exit', () => {
  endChild()
  endLeftBehind()
  rmSync(dir, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))

copySources()
/** Tests that pass without any mutant. */
const green = new Set()
const tally = new Map()
const outcomes = []
for (const mutant of chosen) {
  const begun = Date.now()
  const { outcome, detail } = await attempt(mutant)
  outcomes.push(outcome)
  const seconds = Math.round((Date.now() - begun) / 1000)
  console.log(`${outcome.padEnd(8)} ${mutant.id} (${seconds} s)${detail ? `: ${detail}` : ''}`)
  const folder = mutant.id.split('-')[0]
  const [killed, all] = tally.get(folder) ?? [0, 0]
  tally.set(folder, [killed + (outcome === 'killed' ? 1 : 0), all + 1])
}
for (const [folder, [killed, all]] of tally) console.log(`${folder}: ${killed} of ${all} killed`)
const killed = outcomes.filter((one) => one === 'killed').length
console.log(`${killed} passed, ${chosen.length - killed} failed`)
const isUnsure = outcomes.some((one) => one === 'unusable' || one === 'unproven')
process.exit(killed / chosen.length < killedShareMin || isUnsure ? 1 : 0)

/** Copies all files that Git does not ignore, and links the packages. */
function copySources() {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  for (const path of stdout.split('\0').filter(Boolean)) {
    mkdirSync(join(copy, path, '..'), { recursive: true })
    cpSync(join(root, path), join(copy, path))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
  mkdirSync(temporary)
}

/** @param {import('../tests/mutants/mutant.ts').Mutant} mutant */
async function attempt(mutant) {
  const changed = join(copy, mutant.file)
  const text = readFileSync(changed, 'utf8')
  if (text.split(mutant.find).length !== 2) {
    const detail = `${mutant.file} does not hold this text exactly once: ${JSON.stringify(mutant.find)}`
    return { outcome: 'unusable', detail }
  }
  const known = killers[mutant.id]
  const candidates = [...(known ? [known] : []), ...mutant.tests.map((file) => ({ file }))]
  for (const candidate of candidates) {
    writeFileSync(
      changed,
      text.replace(mutant.find, () => mutant.replace),
    )
    const failure = await firstFailure(candidate, changed)
    writeFileSync(changed, text)
    if (!failure) continue
    const detail = nameOf(failure)
    // A test that fails by itself would kill every mutant.
    if (!green.has(detail) && (await firstFailure(failure, changed))) {
      return { outcome: 'unproven', detail: `without the mutant this test fails too: ${detail}` }
    }
    green.add(detail)
    remember(mutant.id, failure)
    return { outcome: 'killed', detail }
  }
  return { outcome: 'survived' }
}

/** Returns the first test that fails, or only its file if something else than a test fails; null when all pass. */
async function firstFailure({ file, test }, changed) {
  child ??= await startChild()
  const over = new AbortController()
  const { signal } = over
  const answered = once(child, 'message', { signal })
  child.send({ changed, path: join(copy, file), test })
  const [answer] = await Promise.race([
    answered,
    once(child, 'exit', { signal }).then(() => []),
    delay(runTimeoutMs, [], { signal }),
  ]).finally(() => over.abort())
  if (!answer) {
    endChild()
    endLeftBehind() // it hangs, or has ended: the next run gets a new one
    return { file, test }
  }
  return answer.failure // null as well when no test has that name any more
}

async function startChild() {
  const started = fork(join(copy, 'scripts/mutants-vitest.mjs'), {
    cwd: copy,
    env: {
      ...process.env,
      SHIPLOG_LONG_TESTS: '1',
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
    },
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const over = new AbortController()
  const { signal } = over
  const failed = once(started, 'exit', { signal }).then(() => {
    throw new Error('Vitest did not start')
  })
  await Promise.race([once(started, 'message', { signal }), failed]).finally(() => over.abort())
  return started
}

/** Ends the child process and everything that its tests left behind. */
function endChild() {
  if (!child?.pid) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // It had already ended.
  }
  child = null
}

/** Agent commands lead their own process groups and outlive a killed test; they are found by their environment. */
function endLeftBehind() {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!pid || pid === process.pid) continue
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${temporary}\0`))
        process.kill(pid, 'SIGKILL')
    } catch {
      // The process belongs to another user, or has ended.
    }
  }
}

function remember(id, killer) {
  if (nameOf(killers[id] ?? {}) === nameOf(killer)) return
  // Another run may have written to it meanwhile.
  Object.assign(killers, JSON.parse(readFileSync(killersFile, 'utf8')), { [id]: killer })
  const sorted = mutants.flatMap(({ id }) => (killers[id] ? [[id, killers[id]]] : []))
  writeFileSync(killersFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

function nameOf({ file, test }) {
  return test ? `${file} > ${test}` : `${file}`
}
