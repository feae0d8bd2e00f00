/** Repositories whose own configuration names a command wherever Git knows one (K8). */
import { appendFile, chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeRepository, type Repository, temporaryDir, testEnv } from '../repository.ts'

interface Trap {
  /** Leaves the marker when it is run, whatever its arguments. */
  command: string
  config: string
}

export interface Vector {
  name: string
  /** Lines of `.git/config`. */
  config?: (trap: Trap) => string
  /** Attributes of every file. */
  attributes?: string
  prepare?: (project: Repository, trap: Trap) => Promise<unknown>
  /** It names what is missing, so that some calls have to fail. */
  fails?: true
  /** Differs from another only in where Git reads the same, or in its name: tried in the soak. */
  inSoak?: boolean
}

/** Several that do not stand in each other's way, in one repository. */
const together = (vectors: Vector[]): Vector => ({
  name: vectors.map(({ name }) => name).join(', '),
  attributes: vectors.flatMap(({ attributes }) => attributes ?? []).join('\n'),
  config: (trap) =>
    vectors.map(({ name, config }) => config?.(namedFor(trap, name)) ?? '').join(''),
  prepare: async (project, trap) => {
    for (const { name, prepare } of vectors) {
      const named = namedFor(trap, name)
      await copyFile(trap.command, named.command)
      await prepare?.(project, named)
    }
  },
})

/** So that what ran says whose it was. */
const namedFor = (trap: Trap, name: string): Trap => ({
  ...trap,
  command: `${trap.command}-${name.replaceAll(' ', '-')}`,
})

const filters = ({ command }: Trap) =>
  `[filter "trap"]\n\tclean = ${command}\n\tsmudge = ${command}\n\trequired = true\n`

const partialCloneSettings = ({ command }: Trap) =>
  `[core]\n\trepositoryformatversion = 1\n\tsshCommand = ${command}\n[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n`

function promisor(way: string, { command }: Trap): string {
  const url = { ext: `ext::${command}`, ssh: 'ssh://nowhere.example/a' }[way] ?? '.'
  const more = { uploadpack: `uploadpack = ${command}`, vcs: 'vcs = trap' }[way] ?? ''
  return `[extensions]\n\tpartialClone = ${way}\n[remote "${way}"]\n\turl = ${url}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\tfetch = +refs/heads/*:refs/remotes/${way}/*\n\t${more}\n`
}

export const vectors: Vector[] = [
  { name: 'a filter', config: filters, attributes: '* filter=trap' },
  {
    name: 'a filter process',
    config: ({ command }) => `[filter "trap"]\n\tprocess = ${command}\n\trequired\n`,
    attributes: '* filter=trap',
  },
  {
    name: 'a filter whose name has signs in it',
    inSoak: true,
    config: ({ command }) => `[filter "a=b.C d"]\n\tclean = ${command}\n`,
    attributes: '* filter=a=b.C',
  },
  {
    name: 'a filter in an included file',
    inSoak: true,
    config: () => '[include]\n\tpath = more\n',
    attributes: '* filter=trap',
    prepare: (project, trap) => writeFile(path.join(project.dir, '.git/more'), filters(trap)),
  },
  {
    name: 'a filter included for a branch',
    inSoak: true,
    config: () => '[includeIf "onbranch:**"]\n\tpath = more\n',
    attributes: '* filter=trap',
    prepare: (project, trap) => writeFile(path.join(project.dir, '.git/more'), filters(trap)),
  },
  {
    name: 'a filter included for worktrees only',
    inSoak: true,
    config: () => '[includeIf "gitdir:**/worktrees/**"]\n\tpath = more\n',
    attributes: '* filter=trap',
    prepare: (project, trap) => writeFile(path.join(project.dir, '.git/more'), filters(trap)),
  },
  {
    name: 'a filter included for branches of Shiplog only',
    inSoak: true,
    config: () => '[includeIf "onbranch:shiplog/**"]\n\tpath = more\n',
    attributes: '* filter=trap',
    prepare: (project, trap) => writeFile(path.join(project.dir, '.git/more'), filters(trap)),
  },
  {
    name: 'a filter without a name',
    config: ({ command }) =>
      `[filter ""]\n\tclean = ${command}\n\tsmudge = ${command}\n\trequired = true\n`,
    attributes: '* filter=',
  },
  {
    name: 'a merge driver without a name',
    inSoak: true,
    config: ({ command }) => `[merge ""]\n\tdriver = ${command}\n`,
    attributes: '* merge=',
  },
  {
    name: 'a filter in the configuration of the worktree',
    config: () => '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n',
    attributes: '* filter=trap',
    prepare: (project, trap) =>
      writeFile(path.join(project.dir, '.git/config.worktree'), filters(trap)),
  },
  {
    name: 'a filter by .git/info/attributes',
    inSoak: true,
    config: filters,
    prepare: (project) =>
      appendFile(path.join(project.dir, '.git/info/attributes'), '* filter=trap\n'),
  },
  {
    name: 'a merge driver',
    config: ({ command }) => `[merge "trap"]\n\tdriver = ${command}\n`,
    attributes: '* merge=trap',
  },
  {
    name: 'a merge driver by default',
    inSoak: true,
    config: ({ command }) => `[merge]\n\tdefault = trap\n[merge "trap"]\n\tdriver = ${command}\n`,
  },
  together([
    {
      name: 'diff programs',
      config: ({ command }) =>
        `[diff]\n\texternal = ${command}\n[diff "trap"]\n\ttextconv = ${command}\n\tcommand = ${command}\n`,
      attributes: '* diff=trap',
    },
    {
      name: 'the file system monitor',
      config: ({ command }) => `[core]\n\tfsmonitor = ${command}\n\tuntrackedCache = true\n`,
    },
    {
      name: 'hooks',
      config: ({ config }) => `[core]\n\thooksPath = ${config}\n`,
      prepare: async (project, { command, config }) => {
        const names = ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit']
        const folders = [config, path.join(project.dir, '.git/hooks')]
        for (const folder of folders) {
          await mkdir(folder, { recursive: true })
          for (const name of [...names, 'commit-msg', 'pre-auto-gc', 'post-commit', 'fsmonitor']) {
            await writeFile(path.join(folder, name), `#!/bin/sh\nexec ${command}\n`)
            await chmod(path.join(folder, name), 0o755)
          }
        }
      },
    },
    {
      name: 'programs for people',
      config: ({ command }) =>
        `[core]\n\tpager = ${command}\n\teditor = ${command}\n\taskPass = ${command}\n\tsshCommand = ${command}\n\tgitProxy = ${command}\n\talternateRefsCommand = ${command}\n[sequence]\n\teditor = ${command}\n[pager]\n\tlog = ${command}\n\tdiff = ${command}\n[credential]\n\thelper = !${command}\n[interactive]\n\tdiffFilter = ${command}\n[alias]\n\tstatus = !${command}\n\tadd = !${command}\n[uploadpack]\n\tpackObjectsHook = ${command}\n`,
    },
    {
      name: 'signatures',
      config: ({ command }) =>
        `[gpg]\n\tprogram = ${command}\n[gpg "ssh"]\n\tprogram = ${command}\n\tdefaultKeyCommand = ${command}\n[commit]\n\tgpgSign = true\n[push]\n\tgpgSign = true\n\trecurseSubmodules = on-demand\n[tag]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n[merge]\n\tverifySignatures = true\n`,
      prepare: async (project) => {
        const raw = project.git('cat-file', 'commit', 'HEAD')
        const signed = raw.replace(
          '\n\n',
          '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----\n\n',
        )
        await project.write('.git/signed', signed)
        const commit = project.git('hash-object', '-t', 'commit', '-w', '.git/signed')
        project.git('update-ref', 'refs/heads/main', commit)
      },
    },
  ]),
  together([
    {
      name: 'a submodule with a filter and a monitor',
      prepare: async (project, trap) => {
        const other = await makeRepository({ 'inner.txt': 'one\n' }, { name: 'other' })
        project.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other.dir, 'sub')
        project.git('commit', '-qm', 'A submodule')
        const config = `${filters(trap)}[core]\n\tfsmonitor = ${trap.command}\n`
        await appendFile(path.join(project.dir, '.git/modules/sub/config'), config)
        await appendFile(
          path.join(project.dir, '.git/modules/sub/info/attributes'),
          '* filter=trap\n',
        )
        await project.write('sub/inner.txt', 'two\n')
      },
    },
    {
      name: 'a nested repository with a filter',
      prepare: async (project, trap) => {
        project.git('init', '-q', 'nested')
        await project.write('nested/a.txt', 'a')
        project.git('-C', 'nested', 'add', '-A')
        await appendFile(path.join(project.dir, 'nested/.git/config'), filters(trap))
        await project.write('nested/.gitattributes', '* filter=trap\n')
        await project.write('nested/a.txt', 'b')
      },
    },
  ]),
  // Git tries all promisor remotes in turn.
  ...[
    ['uploadpack', 'vcs'],
    ['ext', 'ssh'],
  ].flatMap((ways): Vector[] =>
    ['HEAD', 'HEAD:README.md', 'HEAD^{tree}'].map((missing) => ({
      // Each way with a blob, and one of them with a commit and a tree.
      inSoak: ways[0] === 'ext' && missing !== 'HEAD:README.md',
      name: `promisor remotes by ${ways.join(' and ')}, and no ${missing}`,
      fails: true,
      config: (trap) =>
        partialCloneSettings(trap) + ways.map((way) => promisor(way, trap)).join(''),
      prepare: async (project) => {
        const id = project.git('rev-parse', missing)
        await rm(path.join(project.dir, '.git/objects', id.slice(0, 2), id.slice(2)))
      },
    })),
  ),
]

/** A repository with all that a vector has. `sprung` resolves with the commands that ran: nothing when none did. */
export async function trapped(vector: Vector) {
  const base = await temporaryDir()
  const command = path.join(base, 'trap')
  const marker = path.join(base, 'sprung')
  await writeFile(command, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`)
  await chmod(command, 0o755)
  // Git finds programs of remotes (`git-remote-trap`) on the PATH.
  await writeFile(path.join(base, 'git-remote-trap'), `#!/bin/sh\nexec ${command}\n`)
  await chmod(path.join(base, 'git-remote-trap'), 0o755)
  const trap: Trap = { command, config: path.join(base, 'folder') }
  const files: Record<string, string> = { 'README.md': 'one\ntwo\nthree\n' }
  if (vector.attributes) files['.gitattributes'] = `${vector.attributes}\n`
  const project = await makeRepository(files)
  await vector.prepare?.(project, trap)
  await appendFile(path.join(project.dir, '.git/config'), vector.config?.(trap) ?? '')
  await rm(marker, { force: true })
  const env = { ...testEnv, PATH: `${base}${path.delimiter}${testEnv.PATH}` }
  const sprung = () => readFile(marker, 'utf8').catch(() => '')
  return { project, env, sprung }
}
