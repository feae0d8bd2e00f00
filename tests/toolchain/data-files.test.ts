import { describe, expect, it } from 'vitest'
import { projectFiles, readProjectFile } from './tracked-files.ts'

/** Where files of the data directory, and Git's own, are read and written. */
const folders =
  /^src\/main\/(?:journal|ledger|sessions|log|artifacts|retention|doctor|workspaces|tasks|git\/(?:repository|worktree-files|worktrees))\//
/** Whose files are not the data directory's, and why. */
const exempt: Record<string, string> = {
  'src/main/journal/files/data-file.ts': 'the opening function itself',
  'src/main/git/repository/read-git-file.ts': 'the same for files of Git, which knows no journal',
  'src/main/git/worktree-files/durable.ts': 'writes and syncs by the same flag',
  'src/main/git/worktrees/converted-files.ts': 'opens files of a worktree by the same flag',
  'src/main/git/worktree-files/state.ts': 'opens the index by the same flag',
  'src/main/journal/files/staged-files.ts': 'creates new files, and opens folders by their flag',
  'src/main/journal/files/mounts.ts': 'reads what the kernel says in /proc',
  'src/main/workspaces/file-updates/held-folders.ts': 'opens folders, or names alone, by its flags',
  'src/main/processes/identity.ts': 'reads what the kernel says in /proc',
}

/** Calls that open whatever has the name, and wait for it. A new file (`wx`) and a folder can be no pipe. */
function findDirectOpens(path: string, text: string): string[] {
  if (!folders.test(path) || Object.hasOwn(exempt, path)) return []
  const imported = [...text.matchAll(/import \{([^}]*)\} from 'node:fs(?:\/promises)?'/g)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
  const readers = imported.filter((name) =>
    /^(?:readFile|readFileSync|createReadStream|openSync|appendFile|createWriteStream)\b/.test(
      name,
    ),
  )
  const opens = imported.includes('open')
    ? [...text.matchAll(/(?<![.\w])open\(([^()]*)\)/g)]
        .map(([, given = '']) => given)
        .filter((given) => !given.includes("'wx'") && !given.includes('O_DIRECTORY'))
        .map((given) => `open(${given})`)
    : []
  return [...readers, ...opens].map(
    (name) =>
      `${path} uses ${name}: a named pipe in place of the file would be waited for without end. Use openDataFile or readDataFile of src/main/journal, or readGitFile of src/main/git.`,
  )
}

describe('files of the data directory', () => {
  it('are opened by one function', () => {
    const sources = projectFiles().filter((path) => /^src\/.*\.ts$/.test(path))
    expect(sources.flatMap((path) => findDirectOpens(path, readProjectFile(path))).join('\n')).toBe(
      '',
    )
  })

  it.each([
    "import { readFile } from 'node:fs/promises'\nawait readFile(path)",
    "import { createReadStream } from 'node:fs'\ncreateReadStream(path)",
    "import { open, stat } from 'node:fs/promises'\nawait open(path, 'r')",
  ])('the rule sees %j', (text) => {
    expect(findDirectOpens('src/main/ledger/a.ts', text)).toHaveLength(1)
    expect(findDirectOpens('src/main/rpc/a.ts', text)).toEqual([])
  })

  it('the rule lets a new file and other things of that name be', () => {
    const text =
      "import { open } from 'node:fs/promises'\nopen(path, 'wx', 0o600)\nsessions.open(id, dir)"
    expect(findDirectOpens('src/main/ledger/a.ts', text)).toEqual([])
  })
})
