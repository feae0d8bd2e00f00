/**
 * The value of `--data-dir`. Chromium reads the same command line and ignores unknown switches, so this one is
 * searched for among its switches instead of parsing them all. The search ends at `--` and at the first address:
 * arguments after a link come from the author of the link.
 */
export const dataDirFlag = (given: readonly string[]): string | undefined =>
  flagOf(given, '--data-dir')

/** The page's fragment for `--open-log`, which `shiplog open FILE` gives; null without it. No link can give it. */
export function fragmentOfLog(given: readonly string[]): string | null {
  const log = flagOf(given, '--open-log')
  return log === undefined ? null : `#${placeOfLog(log)}`
}

/** The renderer's address for a log to open. */
export const placeOfLog = (path: string): string => `/opened?${new URLSearchParams({ path })}`

function flagOf(given: readonly string[], name: string): string | undefined {
  const end = given.findIndex(
    (argument) => argument === '--' || /^[a-z][\w+.-]*:\/\//i.test(argument),
  )
  const argv = end < 0 ? given : given.slice(0, end)
  const at = argv.findIndex((argument) => argument === name || argument.startsWith(`${name}=`))
  const found = argv[at]
  return found === name ? argv[at + 1] : found?.slice(name.length + 1)
}
