/**
 * What `--data-dir` says. Chromium reads the same command line and leaves what it does not know alone,
 * so this one is looked for among its switches instead of parsing them all.
 */
export function dataDirFlag(argv: readonly string[]): string | undefined {
  const name = '--data-dir'
  const at = argv.findIndex((argument) => argument === name || argument.startsWith(`${name}=`))
  const found = argv[at]
  return found === name ? argv[at + 1] : found?.slice(name.length + 1)
}
