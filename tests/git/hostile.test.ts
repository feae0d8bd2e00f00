/** Repositories whose own configuration names a command wherever Git knows one: no call of ours runs it (K8). */
import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit, type Git } from '../../src/main/git/index.ts'
import { newTaskId, newUpdateId } from '../../src/shared/ids.ts'
import {
  makeRepository,
  openRepository,
  type Repository,
  temporaryDir,
  testEnv,
} from './repository.ts'
import { write } from './writing.ts'

const writing = () => ({ updateId: newUpdateId(), write })

interface Trap {
  /** Leaves the marker when it is run, whatever its arguments. */
  command: string
  config: string
}

interface Vector {
  name: string
  /** Lines of `.git/config`. */
  config?: (trap: Trap) => string
  /** Of every file. */
  attributes?: string
  prepare?: (project: Repository, trap: Trap) => Promise<unknown>
  /** It names what is missing, so that some calls have to fail. */
  fails?: true
}

const filters = ({ command }: Trap) =>
  `[filter "trap"]\n\tclean = ${command}\n\tsmudge = ${command}\n\trequired = true\n`

const vectors: Vector[] = [
  { name: 'a filter', config: filters, attributes: '* filter=trap' },
  {
    name: 'a filter process',
    config: ({ command }) => `[filter "trap"]\n\tprocess = ${command}\n\trequired\n`,
    attributes: '* filter=trap',
  },
  {
    name: 'a filter whose name has signs in it',
    config: ({ command }) => `[filter "a=b.C d"]\n\tclean = ${command}\n`,
    attributes: '* filter=a=b.C',
  },
  {
    name: 'a filter in an included file',
    config: () => '[include]\n\tpath = more\n',
    attributes: '* filter=trap',
    prepare: (project, trap) => writeFile(path.join(project.dir, '.git/more'), filters(trap)),
  },
  {
    name: 'a filter included for a branch',
    config: () => '[includeIf "onbranch:**"]\n\tpath = more\n',
    attributes: '* filter=trap',
    prepare: (project, trap) => writeFile(path.join(project.dir, '.git/more'), filters(trap)),
  },
  {
    name: 'a filter included for worktrees only',
    config: () => '[includeIf "gitdir:**/worktrees/**"]\n\tpath = more\n',
    attributes: '* filter=trap',
    prepare: (project, trap) => writeFile(path.join(project.dir, '.git/more'), filters(trap)),
  },
  {
    name: 'a filter included for branches of Shiplog only',
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
    config: ({ command }) => `[merge]\n\tdefault = trap\n[merge "trap"]\n\tdriver = ${command}\n`,
  },
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
      `[gpg]\n\tprogram = ${command}\n[gpg "ssh"]\n\tprogram = ${command}\n\tdefaultKeyCommand = ${command}\n[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n[log]\n\tshowSignature = true\n[merge]\n\tverifySignatures = true\n`,
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
  ...['uploadpack', 'vcs', 'ext', 'ssh'].flatMap((way): Vector[] =>
    ['HEAD', 'HEAD:README.md', 'HEAD^{tree}'].map((missing) => ({
      name: `a promisor remote by ${way}, and no ${missing}`,
      fails: true,
      config: ({ command }) => {
        const url = { ext: `ext::${command}`, ssh: 'ssh://nowhere.example/a' }[way] ?? '.'
        const more = { uploadpack: `uploadpack = ${command}`, vcs: 'vcs = trap' }[way] ?? ''
        const settings = `[core]\n\trepositoryformatversion = 1\n\tsshCommand = ${command}\n[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n[extensions]\n\tpartialClone = origin\n`
        return `${settings}[remote "origin"]\n\turl = ${url}\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\t${more}\n`
      },
      prepare: async (project) => {
        const id = project.git('rev-parse', missing)
        await rm(path.join(project.dir, '.git/objects', id.slice(0, 2), id.slice(2)))
      },
    })),
  ),
]

/** Everything that Shiplog asks of Git, on a project and on a worktree of it. */
async function everyCall(git: Git, project: Repository): Promise<string[]> {
  const failed: string[] = []
  const attempt = async <Result>(name: string, call: () => Promise<Result>) => {
    try {
      return await call()
    } catch (error) {
      failed.push(`${name}: ${error}`)
      return null
    }
  }
  const { dir } = project
  const base = path.dirname(dir)
  await attempt('inspectProject', () => git.inspectProject(dir))
  await attempt('repositoryConfig', () => git.repositoryConfig(dir))
  const head = (await attempt('head', () => git.head(dir))) ?? project.git('rev-parse', 'main')
  await attempt('lacksObjects', () => git.lacksObjects({ dir, commit: head }))
  await attempt('listFiles', () => git.listFiles(dir, {}))
  await attempt('isClean', () => git.isClean(dir))
  await attempt('agentEnv', () => git.agentEnv(dir))
  await project.write('README.md', 'one\ntwo\nmine\n')
  await project.write('new.txt', 'new\n')
  const taken = await attempt('commitSnapshot', () => git.commitSnapshot(dir))
  const taskId = newTaskId()
  if (taken)
    await attempt('keepRef', () => git.keepRef(dir, { taskId, commit: taken.commit, base: null }))
  const worktree = path.join(base, 'worktree')
  const make = { repoDir: dir, path: worktree, branch: 'shiplog/a', from: head }
  await attempt('createWorktree', () => git.createWorktree(make))
  if (existsSync(worktree)) {
    await writeFile(path.join(worktree, 'README.md'), 'theirs\ntwo\nthree\n')
    await writeFile(path.join(worktree, 'other.txt'), 'other\n')
    await attempt('worktree listFiles', () => git.listFiles(worktree, {}))
    await attempt('worktree isClean', () => git.isClean(worktree))
    await attempt('diff', () => git.diff({ dir: worktree, baseCommit: head }))
    await attempt('submodulesWithWork', () => git.submodulesWithWork(worktree))
    const files = { seriesPath: path.join(base, 'series'), worktreePath: path.join(base, 'patch') }
    const saved = await attempt('savePatch', () =>
      git.savePatch({ dir: worktree, baseCommit: head, ...files }),
    )
    await attempt('switchBranch', () => git.switchBranch({ dir: worktree, branch: 'main' }))
    const theirCommit = saved?.finalCommit
    if (theirCommit) {
      await git.keepRef(worktree, { taskId, commit: theirCommit, base: null })
      await attempt('treeDifferences', () =>
        git.treeDifferences({ dir, from: head, to: theirCommit }),
      )
      await attempt('commitsBetween', () =>
        git.commitsBetween({ dir, from: head, to: theirCommit, paths: [] }),
      )
      await attempt('committedBase', () => git.committedBase({ dir, commit: theirCommit }))
      await attempt('mergeInto', () =>
        git.mergeInto({ targetDir: dir, baseCommit: head, theirCommit, ...writing() }),
      )
      const { worktreePath } = files
      const patch = {
        targetDir: dir,
        baseCommit: head,
        seriesPath: null,
        worktreePath,
        ...writing(),
      }
      await attempt('mergePatchInto', () => git.mergePatchInto(patch))
      await attempt('rebaseSnapshot', () =>
        git.rebaseSnapshot({ repoDir: dir, head, final: theirCommit, onto: head }),
      )
    }
    await attempt('removeWorktree', () => git.removeWorktree({ repoDir: dir, path: worktree }))
    if (theirCommit)
      await attempt('restoreWorktree', () =>
        git.restoreWorktree({ ...make, head, final: theirCommit }),
      )
    await attempt('removeWorktree again', () =>
      git.removeWorktree({ repoDir: dir, path: worktree, branch: 'shiplog/a' }),
    )
  }
  await attempt('submodulesWithWork in the project', () => git.submodulesWithWork(dir))
  return failed
}

async function trapped(vector: Vector) {
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

it.each(vectors)('[K8] runs nothing of $name', async (vector) => {
  const { project, env, sprung } = await trapped(vector)
  const failed = await everyCall(createGit({ env }), project)
  expect(await sprung()).toBe('')
  if (!vector.fails) expect(failed).toEqual([])
})

it('[K8] shows what a repository asks for, and runs it once that was allowed', async () => {
  const [filter] = vectors
  const { project, env, sprung } = await trapped(filter as Vector)
  const asking = createGit({ env })
  const config = await asking.repositoryConfig(project.dir)
  expect(config?.commands.map(({ key }) => key)).toEqual([
    'filter.trap.clean',
    'filter.trap.smudge',
  ])
  const allowing = createGit({ env, isAllowed: (sha256) => sha256 === config?.sha256 })
  await project.write('README.md', 'changed\n')
  await allowing.commitSnapshot(project.dir)
  expect(await sprung()).toContain('trap')
  project.git('config', 'filter.trap.clean', 'cat')
  await expect(allowing.repositoryConfig(project.dir)).resolves.not.toEqual(config)
})

it('[K8] leaves a filter of the person’s own on, also where the repository changes it', async () => {
  const { project, env, sprung } = await trapped(vectors[0] as Vector)
  const own = path.join(path.dirname(project.dir), 'own-gitconfig')
  await writeFile(own, '[filter "trap"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n')
  const git = createGit({ env: { ...env, GIT_CONFIG_GLOBAL: own } })
  await project.write('README.md', 'changed\n')
  const { commit } = await git.commitSnapshot(project.dir)
  expect(project.git('cat-file', 'blob', `${commit}:README.md`)).toBe('CHANGED')
  expect(await sprung()).toBe('')
})

it('[K8] merges as text in the place of a driver that was not allowed', async () => {
  const { project, env, sprung } = await trapped({
    name: 'a merge driver',
    config: ({ command }) => `[merge "trap"]\n\tdriver = ${command}\n`,
    attributes: '* merge=trap',
  })
  const git = createGit({ env })
  const base = (await git.head(project.dir)) ?? ''
  await project.write('README.md', 'theirs\ntwo\nthree\n')
  const { commit: theirCommit } = await git.commitSnapshot(project.dir)
  await project.write('README.md', 'one\ntwo\nmine\n')
  const merge = { targetDir: project.dir, baseCommit: base, theirCommit }
  await expect(git.mergeInto({ ...merge, ...writing() })).resolves.toMatchObject({
    kind: 'applied',
  })
  expect(await project.read('README.md')).toBe('theirs\ntwo\nmine\n')
  await project.write('README.md', 'other\ntwo\nthree\n')
  await expect(git.mergeInto({ ...merge, ...writing() })).resolves.toMatchObject({
    kind: 'conflict',
  })
  expect(await sprung()).toBe('')
})

it('[K8] refuses a repository that says its files are elsewhere', async () => {
  const project = await makeRepository()
  project.git('config', 'core.worktree', path.dirname(project.dir))
  const git = createGit({ env: testEnv })
  await expect(git.inspectProject(project.dir)).rejects.toThrow('core.worktree')
  await expect(git.snapshot(project.dir)).rejects.toThrow('core.worktree')
})

it('[K8] refuses one that says so later, though HEAD has not moved since it was read', async () => {
  const project = await makeRepository()
  const git = createGit({ env: testEnv })
  expect(await git.inspectProject(project.dir)).toMatchObject({ topLevel: project.dir })
  project.git('config', 'core.worktree', path.dirname(project.dir))
  await expect(git.inspectProject(project.dir)).rejects.toThrow('core.worktree')
  await expect(git.snapshot(project.dir)).rejects.toThrow('core.worktree')
})

/** A clone that left every file out but those of its HEAD. */
async function partialClone() {
  const base = await temporaryDir()
  const source = await makeRepository({ 'README.md': 'first\n' })
  source.git('config', 'uploadpack.allowFilter', 'true')
  source.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const first = source.git('rev-parse', 'HEAD')
  await source.write('README.md', 'second\n')
  source.commit('Second')
  source.git('clone', '-q', '--filter=blob:none', `file://${source.dir}`, path.join(base, 'clone'))
  return { dir: path.join(base, 'clone'), base, first, url: `file://${source.dir}` }
}

it('[K8] works in an honest partial clone, and fetches what is missing only once that was allowed', async () => {
  const { dir, base, first, url } = await partialClone()
  const asking = createGit({ env: testEnv })
  const worktree = (name: string, from: string) => ({
    ...{ repoDir: dir, path: path.join(base, name), branch: name, from },
  })
  const head = (await asking.head(dir)) ?? ''
  await expect(asking.lacksObjects({ dir, commit: head })).resolves.toBe(false)
  await asking.createWorktree(worktree('one', head))
  await expect(asking.lacksObjects({ dir, commit: first })).resolves.toBe(true)
  await expect(asking.createWorktree(worktree('two', first))).rejects.toThrow(
    `would have to be fetched from ${url}`,
  )
  const config = await asking.repositoryConfig(dir)
  expect(config).toMatchObject({ commands: [], fetches: [{ remote: 'origin', url }] })

  const allowing = createGit({ env: testEnv, isAllowed: (sha256) => sha256 === config?.sha256 })
  await allowing.createWorktree(worktree('two', first))
  expect(await readFile(path.join(base, 'two/README.md'), 'utf8')).toBe('first\n')
})

it('[K8] fetches nothing by a program that the repository names, and runs no helper of it', async () => {
  const { dir, base, first } = await partialClone()
  const marker = path.join(base, 'sprung')
  const create = async (name: string) => {
    const asked = await createGit({ env: testEnv }).repositoryConfig(dir)
    const git = createGit({ env: testEnv, isAllowed: (sha256) => sha256 === asked?.sha256 })
    const place = { repoDir: dir, path: path.join(base, name), branch: name, from: first }
    return git.createWorktree(place)
  }
  const command = `touch '${marker}'; git-upload-pack`
  const config = path.join(dir, '.git/config')
  const before = await readFile(config, 'utf8')
  await appendFile(config, `[remote "origin"]\n\tuploadpack = "${command}"\n`)
  await expect(create('a')).rejects.toThrow('names a program for fetching')
  await writeFile(config, `${before}[credential]\n\thelper = "!${command}"\n`)
  await create('b')
  expect(existsSync(path.join(base, 'b/README.md'))).toBe(true)
  expect(existsSync(marker)).toBe(false)
})

/** Allows what a repository asks for now, and nothing that it asks for later. */
async function allowingNow(dir: string): Promise<Git> {
  const asked = await createGit({ env: testEnv }).repositoryConfig(dir)
  return createGit({ env: testEnv, isAllowed: (sha256) => sha256 === asked?.sha256 })
}

const remoteWithProgram = (name: string, marker: string) =>
  `[remote "${name}"]\n\turl = .\n\tpromisor = true\n\tuploadpack = "touch '${marker}'; false"\n`

it.each(['other', ''])(
  '[K8] runs no program of a remote "%s" once a fetch was allowed',
  async (name) => {
    const { dir, base, first, url } = await partialClone()
    const marker = path.join(base, 'sprung')
    const git = await allowingNow(dir)
    // Git asks the next remote when the first one does not have it.
    await rm(path.join(url.replace('file://', ''), '.git'), { recursive: true })
    await appendFile(path.join(dir, '.git/config'), remoteWithProgram(name, marker))
    const place = { repoDir: dir, path: path.join(base, 'a'), branch: 'a', from: first }
    await expect(git.createWorktree(place)).rejects.toThrow('names a program for fetching')
    expect(existsSync(marker)).toBe(false)
  },
)

it('[K8] lets the repository that a fetch was allowed from fetch nothing itself', async () => {
  const { dir, base, first, url } = await partialClone()
  const marker = path.join(base, 'sprung')
  const source = openRepository(url.replace('file://', ''))
  const blob = source.git('rev-parse', `${first}:README.md`)
  await appendFile(
    path.join(source.dir, '.git/config'),
    `[extensions]\n\tpartialClone = trap\n${remoteWithProgram('trap', marker)}`,
  )
  source.git('config', 'core.repositoryFormatVersion', '1')
  await rm(path.join(source.dir, '.git/objects', blob.slice(0, 2), blob.slice(2)))
  const git = await allowingNow(dir)
  const place = { repoDir: dir, path: path.join(base, 'a'), branch: 'a', from: first }
  await expect(git.createWorktree(place)).rejects.toThrow()
  expect(existsSync(marker)).toBe(false)
})

const trapFilter = '[filter "trap"]\n\tclean = false\n'

it('[K8] sees the configuration of a worktree that came after the first look', async () => {
  const project = await makeRepository()
  project.git('config', 'extensions.worktreeConfig', 'true')
  const git = createGit({ env: testEnv })
  await expect(git.repositoryConfig(project.dir)).resolves.toBe(null)
  await project.write('.git/config.worktree', trapFilter)
  await expect(git.repositoryConfig(project.dir)).resolves.toMatchObject({ commands: [{}] })
})

it('[K8] sees the configuration of another repository that a .git came to name', async () => {
  const project = await makeRepository()
  const git = createGit({ env: testEnv })
  await expect(git.repositoryConfig(project.dir)).resolves.toBe(null)
  const other = await makeRepository()
  await appendFile(path.join(other.dir, '.git/config'), trapFilter)
  await project.write('.git/commondir', path.join(other.dir, '.git'))
  await expect(git.repositoryConfig(project.dir)).resolves.toMatchObject({ commands: [{}] })
})

it('[K8] sees the configuration of a repository that was made between a folder and its repository', async () => {
  const project = await makeRepository({ 'a/b/file.txt': 'text\n' })
  const git = createGit({ env: testEnv })
  const below = path.join(project.dir, 'a/b')
  await expect(git.repositoryConfig(below)).resolves.toBe(null)
  project.git('init', '-q', 'a')
  await appendFile(path.join(project.dir, 'a/.git/config'), trapFilter)
  await expect(git.repositoryConfig(below)).resolves.toMatchObject({ commands: [{}] })
})

it('[K8] sees a change in the moment after the configuration was read', async () => {
  const project = await makeRepository()
  const base = await temporaryDir()
  const gitPath = path.join(base, 'git')
  const config = path.join(project.dir, '.git/config')
  await writeFile(path.join(base, 'change'), trapFilter)
  const script = `case "$*" in *--list*) git "$@"; cat '${base}/change' >> '${config}' && rm -f '${base}/change';; *) exec git "$@";; esac`
  await writeFile(gitPath, `#!/bin/sh\n${script} 2>/dev/null\ntrue\n`)
  await chmod(gitPath, 0o755)
  const git = createGit({ env: testEnv, gitPath })
  await expect(git.repositoryConfig(project.dir)).resolves.toBe(null)
  await expect(git.repositoryConfig(project.dir)).resolves.toMatchObject({ commands: [{}] })
})

it('[K8] asks before Git LFS of the person starts what a repository names for it', async () => {
  const { project, env, sprung } = await trapped({
    name: 'an extension of Git LFS',
    config: ({ command }) =>
      `[lfs "extension.trap"]\n\tclean = ${command} extension\n[core]\n\tsshCommand = ${command} ssh\n\taskPass = ${command} pass\n[credential]\n\thelper = ${command} helper\n[hook "trap"]\n\tcommand = ${command}\n\tevent = post-index-change\n`,
    attributes: '* filter=lfs',
  })
  // It starts what the configuration names, as Git LFS does.
  const base = path.dirname(
    await realpath(path.join(env.PATH?.split(path.delimiter)[0] ?? '', 'trap')),
  )
  const lfs = path.join(base, 'lfs')
  const keys = ['lfs.extension.trap.clean', 'core.sshCommand', 'core.askPass', 'credential.helper']
  await writeFile(
    lfs,
    `#!/bin/sh\nfor key in ${keys.join(' ')}; do sh -c "$(git config "$key") </dev/null" >/dev/null 2>&1; done\n[ "$(git config hook.trap.enabled)" = false ] || ${base}/trap\ncat\n`,
  )
  await chmod(lfs, 0o755)
  const own = path.join(base, 'own-gitconfig')
  await writeFile(own, `[filter "lfs"]\n\tclean = ${lfs}\n\tsmudge = cat\n\trequired = true\n`)
  const personal = { ...env, GIT_CONFIG_GLOBAL: own }
  await project.write('README.md', 'changed\n')
  const asking = createGit({ env: personal })
  await asking.commitSnapshot(project.dir)
  expect(await sprung()).toBe('')
  const config = await asking.repositoryConfig(project.dir)
  expect(config?.commands.map(({ key }) => key)).toEqual(['lfs.extension.trap.clean'])
  const allowing = createGit({ env: personal, isAllowed: (sha256) => sha256 === config?.sha256 })
  await project.write('README.md', 'changed again\n')
  await allowing.commitSnapshot(project.dir)
  const lines = (await sprung()).trim().split('\n')
  expect(new Set(lines.map((line) => line.split(' ').at(-1)))).toEqual(new Set(['extension']))
})

it('leaves alone the repository that a link in the place of a submodule leads to', async () => {
  const library = await makeRepository({ 'a.txt': 'a' }, { name: 'library' })
  const project = await makeRepository()
  project.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.dir, 'sub')
  project.git('commit', '-qm', 'A submodule')
  await rm(path.join(project.dir, 'sub'), { recursive: true })
  await project.link('sub', library.dir)
  const found = await createGit({ env: testEnv }).submodulesWithWork(project.dir)
  expect(found).toEqual([{ path: 'sub', gitDir: null }])
})
