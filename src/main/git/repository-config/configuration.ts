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

export interface ReadConfig {
  /** Null: the repository configures no commands. */
  asks: RepositoryConfig | null
  /** Paths of the working tree that the commands may run, present or not, with `/`; null if they may run any file. */
  named: string[] | null
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
