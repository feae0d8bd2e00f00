/**
 * `.shiplog/project.yaml`: the set-up of each new worktree of a project. A command from a repository is untrusted
 * code: it runs only after the user has allowed exactly this file.
 */
import { createHash } from 'node:crypto'
import { cp, lstat, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { invalid } from '../../shared/failure.ts'
import { variableNameSchema, variablesMax } from '../../shared/records/projects/projects.ts'
import { hiddenCharacterIn } from '../../shared/text/shown-text.ts'
import { describeNoFile, isInside, isNoFile, readDataFile, systemCode } from '../journal/index.ts'

const projectConfigPath = '.shiplog/project.yaml'
/** Far more than anyone writes by hand. */
const configBytesMax = 64 * 1024

const configSchema = z.strictObject({
  /** Run by the shell in each new worktree, before the agent's first turn. */
  setup: z.string().min(1).optional(),
  /** Untracked files and folders (`.env`), relative to the project. */
  copy: z.array(z.string().min(1)).optional(),
  /** Secret variables of the host that its agents need. */
  env: z.array(variableNameSchema).max(variablesMax).optional(),
})

interface ProjectConfig {
  setup: string | null
  copy: string[]
  env: string[]
  /** SHA-256 of the file's bytes, hex: the user's permission applies to exactly this content. */
  sha256: string
}

/**
 * Returns null if the project has no such file. Throws FailureError with the file's name if it
 * can't be used.
 */
export async function readProjectConfig(projectDir: string): Promise<ProjectConfig | null> {
  const path = join(projectDir, projectConfigPath)
  const bytes = await readDataFile(path, { followLinks: true }).catch((error) => {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return null
    if (isNoFile(error)) return invalid('project', describeNoFile(error))
    throw error
  })
  if (!bytes) return null
  if (bytes.length > configBytesMax)
    invalid('project', `${path} is larger than 64 KB, the limit for a configuration.`)
  const document = parseDocument(bytes.toString('utf8'))
  const [syntaxError] = document.errors
  if (syntaxError) invalid('project', `${path}: ${syntaxError.message}`)
  const parsed = configSchema.safeParse(document.toJS({ maxAliasCount: 0 }) ?? {})
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return invalid(
      'project',
      `${path}: ${issue?.path.join('.') || 'top level'}: ${issue?.message}. It may have \`setup\` (a command), \`copy\` (a list of paths) and \`env\` (a list of names).`,
    )
  }
  const { setup = null, copy = [], env = [] } = parsed.data
  // The user can't allow an unreadable file: not in a prompt, and not with --trust (K6).
  for (const [key, value] of [
    ['setup', setup ?? ''],
    ...copy.map((name) => ['copy', name]),
  ] as const) {
    const found = hiddenCharacterIn(value)
    if (found === null) continue
    invalid(
      'project',
      `${path}: ${key} contains an invisible character (${found}). Nothing is run or copied. Remove the character, or distrust its author.`,
    )
  }
  return { setup, copy, env, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Copies the paths in `copy` from the project into a new worktree. Skips missing ones. */
export async function copyProjectFiles(
  projectDir: string,
  worktree: string,
  copy: string[],
): Promise<void> {
  const projectRoot = await realpath(projectDir)
  for (const path of copy) {
    const from = resolve(projectRoot, path)
    const to = resolve(worktree, path)
    if (!isBelow(projectRoot, from) || !isBelow(worktree, to)) {
      invalid(
        'project',
        `${projectConfigPath}: copy: ${path} leads out of the project; only files inside it are copied.`,
      )
    }
    const source = await realpath(from).catch(() => null)
    if (source === null) continue
    if (!isBelow(projectRoot, source)) {
      invalid(
        'project',
        `${projectConfigPath}: copy: ${path} is a link that leads out of the project.`,
      )
    }
    await refuseLinkedTarget(worktree, path, to)
    // A file that Git checked out is the project's own version: it is not overwritten.
    await cp(source, to, { recursive: true, force: false, verbatimSymlinks: true })
  }
}

/**
 * The committed tree may have a link where the project has a real folder; nothing may be written
 * through it.
 */
async function refuseLinkedTarget(worktree: string, path: string, to: string): Promise<void> {
  const root = await realpath(worktree)
  let above = dirname(to)
  let real = await realpath(above).catch(() => null)
  while (real === null && above !== dirname(above)) {
    above = dirname(above)
    real = await realpath(above).catch(() => null)
  }
  const link = (await lstat(to).catch(() => null))?.isSymbolicLink() === true
  if (link || real === null || !isInside(root, real)) {
    invalid(
      'project',
      `${projectConfigPath}: copy: ${path} would be written through a link in the worktree.`,
    )
  }
}

const isBelow = (folder: string, path: string): boolean => path !== folder && isInside(folder, path)
