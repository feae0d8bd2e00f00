/** The parts of a repository's Git configuration that Shiplog reads. */

export interface RepositoryConfig {
  /**
   * Settings of the repository whose values are commands, without those equal to the user's own.
   */
  commands: { key: string; value: string }[]
  /** The files of the working tree that the commands name, by path, with their texts. */
  scripts: { path: string; text: string }[]
  /** The remotes from which Git would fetch missing objects; empty if it may not (`isOrdinary`). */
  fetches: { remote: string; url: string }[]
  /** Hash of `commands`, `scripts`, `fetches` and the repository's path: the user's permission applies to exactly these. */
  sha256: string
}

/** One value of one setting. */
export interface Setting {
  own: boolean
  /** Section and name in lower case, the subsection as written. */
  key: string
  value: string
}

/** What the commands may run of the working tree. Paths are relative to it, with `/`, and of files that exist or not. */
export interface Named {
  /** A file counts as well if it is above one of these: it may be a link. */
  paths: string[]
  /** Every file below one of these counts, if that is a folder: programs are found in it. */
  folders: string[]
  /** Folders in which Python would load any module. */
  pythonDirs: string[]
}

export interface Scripts {
  scripts: RepositoryConfig['scripts']
  /** All absolute paths at which such a file may appear; null if they can't be listed. */
  watched: string[] | null
  /** Also without a working tree. Null if the commands may name any file. */
  named: Named | null
  /** Whether Python runs no file of the working tree, so that no module of it is meant either. */
  isPythonForeign: boolean
}

export interface ReadConfig extends Pick<Scripts, 'named' | 'isPythonForeign'> {
  /** Null: the repository configures no commands. */
  asks: RepositoryConfig | null
  /**
   * Remotes of a partial clone with a program of their own (`uploadpack`, `vcs`), or settings of `http` that could send the
   * user's credentials elsewhere: Git never fetches from them.
   */
  unfetchable: string[]
  /** Settings that replace the repository's commands by the user's own, or by harmless ones. */
  withoutCommands: Setting[]
  /**
   * Settings of every call, allowed or not: they disable programs that must never run, and those
   * that a user's filter could start.
   */
  always: Setting[]
  /** Settings that override the user's own ones once a fetch was allowed. */
  forFetching: Setting[]
  /** Fetch and push addresses of all remotes, the user's own included. */
  remotes: { name: string; url: string }[]
  /**
   * Names of the remotes in the repository's own configuration; a remote in the user's own is the
   * same for all repositories.
   */
  ownRemotes: string[]
  /** The set keys among `user.name`, `user.email` and their `author` and `committer` variants, in any configuration. */
  identity: ReadonlySet<string>
  /** Files of the user's own configuration, outside the repository. */
  personalFiles: string[]
  /** `core.autocrlf`, where Git converts line endings; null where it does not. */
  autocrlf: 'true' | 'input' | null
  /**
   * `then` is from when the configuration was read. `now` differs once it may have changed. Null if
   * changes can't be detected.
   */
  fingerprint: { then: string; now: () => string } | null
}

/** A folder, and the repository if it is not the one that contains the folder. */
export interface Place {
  dir: string
  gitDir: string | null
  /** The working tree of `gitDir`, if the call names one that has files. */
  workTree: string | null
}
