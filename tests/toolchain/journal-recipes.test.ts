/** The recipes of docs/JOURNALS.md, run on a journal. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { rgPath } from '@vscode/ripgrep'
import { expect, it } from 'vitest'
import { openJournal, type RecordBody } from '../../src/main/journal/index.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import { session } from '../fixtures/entries/builder.ts'
import { temporaryDir } from '../harness.ts'
import { readProjectFile } from './tracked-files.ts'

const bash = (command: string, exitCode: number) => ({
  call: {
    name: 'bash',
    input: { command },
    output: 'a heron',
    ms: 20,
    detail: { kind: 'bash' as const, exitCode, timedOut: false, omittedBytes: 0 },
  },
})

/** What each prints, by its beginning. */
const outputs: Record<string, string> = {
  'rg -l': 'sessions/a/chat.jsonl',
  'rg -c': 'sessions/a/chat.jsonl:3',
  'rg -oIN': '"command":"echo \\"heron\\""\n"command":"false"',
  'rg -n': 'sessions/a/chat.jsonl:6:"exitCode":1',
  'jq -r \'select(.type == "tool-call"': 'echo "heron"\nfalse',
  'jq -r \'select(.type == "message"': 'Done.',
  'jq -r \'select(.type == "tool-result"': '8 read_file no such file',
  "jq -s 'map": '212',
  'jq -s -c': '{"bash":40,"read_file":5}',
}

it('prints what each recipe of docs/JOURNALS.md says', async () => {
  const recipes = [...readProjectFile('docs/JOURNALS.md').matchAll(/^```sh\n(.+)\n```$/gm)].map(
    ([, recipe = '']) => recipe,
  )
  expect(recipes.map((recipe) => expectedOf(recipe)?.[0])).toEqual(Object.keys(outputs))
  const dir = await temporaryDir()
  const transcript = join(dir, 'sessions/a')
  await mkdir(transcript, { recursive: true })
  const journal = await openJournal(join(transcript, 'chat.jsonl'))
  const { entries } = session(newTaskId())
    .runStart()
    .prompt('Go')
    .turn([
      bash('echo "heron"', 0),
      bash('false', 1),
      {
        call: {
          name: 'read_file',
          input: { path: 'x' },
          outcome: 'error',
          output: 'no such file',
          ms: 5,
        },
      },
      { say: 'Done.' },
    ])
  for (const { seq: _, ...body } of entries) await journal.append(body as RecordBody)
  await journal.close()

  const path = [dirname(rgPath), process.env.PATH].join(delimiter)
  // Ours is always there; a system's own may be missing.
  const hasJq = path.split(delimiter).some((one) => existsSync(join(one, 'jq')))
  for (const recipe of recipes) {
    if (recipe.startsWith('jq') && !hasJq) continue
    const cwd = recipe.startsWith('jq') ? transcript : dir
    const { stdout } = await promisify(execFile)('sh', ['-c', `exec </dev/null; ${recipe}`], {
      cwd,
      env: { ...process.env, PATH: path },
    })
    expect([recipe, stdout.trim()]).toEqual([recipe, expectedOf(recipe)?.[1]])
  }
})

const expectedOf = (recipe: string) =>
  Object.entries(outputs).find(([beginning]) => recipe.startsWith(beginning))
