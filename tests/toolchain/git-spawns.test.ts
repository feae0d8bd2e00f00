import { expect, it } from 'vitest'
import { projectFiles, readProjectFile } from './tracked-files.ts'

/** What starts a process. */
const starts =
  /(?:\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|startHere|startProgram|promisify\(\w+\))\(|\bfile:)\s*([^,)\n]*)/g

it('[K8] lets nobody but src/main/git name git as a program to start', () => {
  const naming = projectFiles()
    .filter((path) => /^src\/.*\.tsx?$/.test(path) && path !== 'src/main/git/command/run.ts')
    .flatMap((path) =>
      gitStarts(readProjectFile(path)).map(
        (program) => `${path}: starts ${program}; ask a function of src/main/git for what it gives`,
      ),
    )
  expect(naming.join('\n')).toBe('')
})

it.each([
  "promisify(execFile)('git', ['ls-files'])",
  "spawn('git', args)",
  "execSync('git status')",
  'spawn(gitPath, args)',
  "startProgram({ file: 'git', args }, output)",
  "execFile(\n  '/usr/bin/git',\n  [])",
])('[K8] sees %s', (text) => {
  expect(gitStarts(text)).toHaveLength(1)
})

function gitStarts(text: string): string[] {
  return [...text.matchAll(starts)].flatMap(([, program = '']) =>
    /['"`](?:[^'"`]*[\\/ ])?git(?:\.exe)?(?:['"`\s])|gitPath/.test(program) ? [program] : [],
  )
}

it('[K8] starts it in one place of src/main/git', () => {
  const starting = projectFiles().filter(
    (path) =>
      path.startsWith('src/main/git/') &&
      /'node:child_process'|processes\/launcher/.test(readProjectFile(path)),
  )
  expect(starting).toEqual(['src/main/git/command/run.ts'])
})
