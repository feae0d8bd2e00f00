/** A small fault put into the code on purpose. A test that stays green beside it does not hold what it says. */
export interface Mutant {
  /** Short, unique, in kebab case: the folder, then the fault. */
  id: string
  /** Relative to the root of the checkout. */
  file: string
  /** Occurs exactly once in the file. */
  find: string
  replace: string
  /** The harm that this fault does to somebody, in one sentence. */
  harm: string
  /** Test files or folders that are run against it. */
  tests: string[]
}
