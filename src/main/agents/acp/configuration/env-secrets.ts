/** Hides the secrets of a file of variables (`.env`) before it is shown and recorded. Pure. */

type IsSecret = (name: string, value: string) => boolean

/** These name what runs, although they look like names of secrets: GIT_ASKPASS, GIT_CONFIG_KEY_0. */
const namesProgram = /askpass|^git_config_/i

/**
 * Removes the values of secrets: they are not code and must not be recorded. Each line on its own, because the agent may
 * end a value of several lines elsewhere than we would, and take the rest for variables.
 */
export const withoutSecrets = (text: string, isSecret: IsSecret): string =>
  text
    .split(/(\r\n?|\n)/)
    .map((line) => lineWithoutSecrets(line, isSecret))
    .join('')

const hidden = '[hidden]'

function lineWithoutSecrets(line: string, isSecret: IsSecret): string {
  // A line of a private key.
  if (/^[A-Za-z0-9+/]{16,}={0,2}["'`]?$/.test(line)) return hidden
  const [, start = '', name = '', value = ''] =
    /^(\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*)(\S.*)$/s.exec(line) ?? []
  if (value === '' || namesProgram.test(name)) return line
  // Read by a shell, it may assign or run something else as well.
  if (/\s[\w.]+=|`|\$\(|[;&|]/.test(value)) return line
  if (isSecret(name, '')) return start + hidden
  if (!isSecret(name, value)) return line
  return value.includes('/')
    ? start + value.replace(/\/\/[^/@\s]+@/, `//${hidden}@`)
    : start + hidden
}
