/** Measures `search_files` and `list_files` on a large project, against plain ripgrep and `git ls-files`. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findRipgrep } from '../../src/main/agents/tools/search/ripgrep.ts'
import { createToolRunner } from '../../src/main/agents/tools/tool-runner.ts'
import { createGit } from '../../src/main/git/index.ts'
import { createCustody } from '../../src/main/processes/custody.ts'
import { createMasker } from '../../src/main/secrets/masker.ts'
import type { ToolContext } from '../../src/shared/agents/driver/tool-context.ts'
import type { ToolName } from '../../src/shared/agents/tools.ts'
import { newTaskId, newToolCallId } from '../../src/shared/records/ids.ts'
import { createGenerator } from '../data/generate.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { alternate, find, judge, type Measured, timed } from '../runner/rounds.ts'

/** Git lists the files, each folder is read once, and ripgrep reads the files: three passes against one. */
const overRipgrepMax = 3

const filesPerFolder = 50
const fileChars = 800
const needle = 'theNeedleInTheHaystack'
const outputBytesMax = 64 * 1024 * 1024

export async function measureSearch(bench: Bench): Promise<Measured> {
  const { dir, sizes, seed, rounds } = bench
  const ripgrep = await findRipgrep()
  if (!ripgrep) throw new Error('There is no ripgrep for this platform to compare with.')
  bench.say(`making a repository of ${sizes.searched} files`)
  const project = join(dir, 'project')
  const made = createGenerator(seed)
  for (let n = 0; n < sizes.searched; n++) {
    const folder = Math.floor(n / filesPerFolder)
    const place = join(project, `part-${Math.floor(folder / filesPerFolder)}`, `folder-${folder}`)
    if (n % filesPerFolder === 0) await mkdir(place, { recursive: true })
    await writeFile(join(place, `file-${n}.ts`), made.text(fileChars))
  }
  await writeFile(join(project, 'part-0', 'needle.ts'), `const ${needle} = 1\n`)
  const run = (command: string, ...args: string[]) =>
    promisify(execFile)(command, args, { cwd: project, maxBuffer: outputBytesMax })
  await run('git', 'init', '-q', '-b', 'main')
  await run('git', 'add', '-A')
  await run('git', 'status')

  const runTool = createToolRunner({
    custody: createCustody(join(dir, 'running')),
    filesOfGit: (at, { signal }) => createGit().listFiles(at, { signal, withDeleted: true }),
  })
  const context = {
    taskId: newTaskId(),
    callId: newToolCallId(),
    workingDir: project,
    mask: createMasker(),
    signal: new AbortController().signal,
    // Tools that only read use no other part of the context.
  } as Partial<ToolContext> as ToolContext
  const call = async (name: ToolName, input: object) => {
    const { outcome, output } = await runTool(name, input, context)
    if (outcome !== 'ok' || !output.includes('needle.ts')) throw new Error(`${name}: ${output}`)
  }
  const found = await alternate(
    {
      ripgrep: async () => ({ ms: await timed(() => run(ripgrep, needle, './')) }),
      gitList: async () => ({ ms: await timed(() => run('git', 'ls-files')) }),
      search: async () => ({ ms: await timed(() => call('search_files', { pattern: needle })) }),
      list: async () => ({ ms: await timed(() => call('list_files', { glob: 'needle*' })) }),
    },
    { rounds },
  )
  const ms = find(found, 'ms', {
    search_files: ({ search }) => search.ms,
    'ripgrep alone': ({ ripgrep }) => ripgrep.ms,
    list_files: ({ list }) => list.ms,
    'git ls-files': ({ gitList }) => gitList.ms,
  })
  const ratios = find(found, 'x', {
    'search_files over ripgrep alone': ({ search, ripgrep }) => search.ms / ripgrep.ms,
  })
  const judged = sizes.searched >= fullSizes.searched
  return {
    title: `A search through ${sizes.searched} files for a line that one of them has`,
    rounds,
    figures: Object.values(ms),
    ratios: Object.values(ratios),
    verdicts: judged
      ? [judge(ratios['search_files over ripgrep alone'], { atMost: overRipgrepMax })]
      : [],
    notes: judged ? [] : [notJudged],
  }
}
