/** Recognizes the repository's policy in what a request names, since changing it is asked about in every mode. */
import { comparable, findEdited, type PathFound, type Place } from './places.ts'
import { policyPath } from './policy.ts'
import { mayExpandTo } from './rules.ts'
import type { ShellWord } from './shell/words.ts'

export interface PolicyFiles {
  /** Reports whether the file is the policy. `path` as written. */
  isFile(path: string, found: PathFound): boolean
  /** The same for a redirection, whose file may only be known when it runs. */
  mayBeWritten(path: string, found: PathFound, isKnown: boolean): boolean
  /**
   * Reports whether an argument (`file`, `--output=file`, `of=file`, `-tfolder`) is the policy or its folder. `find` returns
   * null if the folder of the shell is not known.
   */
  mayBeNamed(word: ShellWord, find: (path: string) => PathFound | null): boolean
}

const [policyFolder = '', policyFile = ''] = policyPath.split('/')

/** The policy of another working directory of the project, or one whose folder is not known. */
const otherPolicy = new RegExp(`(?:^|/)${RegExp.escape(policyPath)}$`)
/** `-t.shiplog`, and as Git names paths: `:/.shiplog`, `main:.shiplog`. */
const joinedPolicy = new RegExp(
  `^(?:-[a-z]|.*[:)]/?)${RegExp.escape(policyFolder)}(?:/+(?:${RegExp.escape(policyFile)})?)?$`,
)

/** `.shiplog` or its file may be a link: then what it leads to is the policy as well. */
export function policyFilesIn(place: Place): PolicyFiles {
  const files = namesOf(policyPath, place)
  const folders = namesOf(policyFolder, place)
  const isOneOf = (names: readonly string[], found: PathFound) =>
    found.inside && found.names.some((name) => names.includes(asOnDisk(name)))
  const isFile: PolicyFiles['isFile'] = (path, found) =>
    found.inside ? isOneOf(files, found) : otherPolicy.test(asOnDisk(path))
  return {
    isFile,
    mayBeWritten: (path, found, isKnown) =>
      isFile(path, found) || (!isKnown && endsLikePolicy(path)),
    mayBeNamed(word, find) {
      if (word.kind === 'dynamic') return comparable(word.text).includes(policyFolder)
      if (joinedPolicy.test(comparable(word.value))) return true
      return [word.value, word.value.slice(word.value.indexOf('=') + 1)].some((path) => {
        const found = find(path.replace(/(?<=.)\/+$/, ''))
        if (found === null) return endsLikePolicy(path)
        if (word.kind === 'literal') return isFile(path, found) || isOneOf(folders, found)
        return (
          found.inside &&
          found.names.some(
            (pattern) =>
              // `.*` is about every name.
              /[^.*?/]/.test(pattern) &&
              [...files, ...folders].some((name) => mayExpandTo(comparable(pattern), name)),
          )
        )
      })
    },
  }
}

const namesOf = (path: string, place: Place): string[] => {
  const found = findEdited(path, place)
  return found.inside ? [path, ...found.names.map(asOnDisk)] : [path]
}

/** Windows ignores dots and blanks at the end of a name, and `:` begins a stream of the file. */
export const asOnDisk = (path: string): string =>
  comparable(path)
    .split('/')
    .map((part) => (/^\.{1,2}$/.test(part) ? part : part.replace(/:.*$|[. ]+$/g, '')))
    .join('/')

const endsLikePolicy = (text: string): boolean =>
  /(?:^|[/}])permissions\.json["'}]*$/.test(comparable(text))
