/** Hides the secrets of a file of variables (`.env`) before it is shown and recorded. Pure. */

type IsSecret = (name: string, value: string) => boolean

/** These name what runs, although they look like names of secrets: GIT_ASKPASS, GIT_CONFIG_KEY_0. */
const namesProgram = /askpass|^git_config_/i
/** Variables whose value is run, loaded or looked into, so that it is shown even if it has the form of a secret. */
const isRun =
  /^ENV$|BASH_ENV|COMMAND|CMD|OPTIONS|OPTS|FLAGS|EDITOR|PAGER|BROWSER|PATH|PRELOAD|SHELL|HOOK|EXEC|PROGRAM|BIN$|SCRIPT|WRAPPER|LAUNCHER|CONFIG|FILE|DIR$|HOME$|INIT|PLUGIN|MODULE/i

/** The ends of names of variables whose value is run, also where the name sounds like that of a secret. */
const endsInProgram =
  /(?:COMMAND|CMD|HELPER|EDITOR|PAGER|BROWSER|SHELL|FILE|PATH|SCRIPT|PROGRAM|HOOK|OPEN|AUDIT|PRELOAD|PROXY|_CC|_CXX)$|^(?:GIT_SSH|PS\d|PERL5.*|CC|CXX|RUSTC.*|LD_.*|ENV)$/i

const namesWhatRuns = (name: string): boolean => namesProgram.test(name) || endsInProgram.test(name)

/**
 * Removes the values of secrets: they are not code and must not be recorded. Each line on its own, because the agent may
 * end a value of several lines elsewhere than we would, and take the rest for variables. What may be run is always shown.
 */
export function withoutSecrets(text: string, isSecret: IsSecret): string {
  let isInKey = false
  return text
    .split(/(\r\n?|[\n\u2028\u2029])/)
    .map((line) => {
      if (/^(?:\r\n?|[\n\u2028\u2029])$/.test(line)) return line
      const [, name = ''] = keyStart.exec(line) ?? []
      if (name !== '') {
        isInKey = isSecret(name, '') && !namesWhatRuns(name)
        return lineWithoutSecrets(line, isSecret)
      }
      isInKey &&= keyLine.test(line)
      if (!isInKey) return lineWithoutSecrets(line, isSecret)
      isInKey = !/["']$/.test(line)
      return hidden
    })
    .join('')
}

const hidden = '[hidden]'
/** In quotes, in which no shell runs the lines that follow. */
const keyStart = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*["']-----BEGIN [A-Z ]*PRIVATE KEY-----$/
const keyLine = /^[A-Za-z0-9+/]{16,}={0,2}["']?$/

function lineWithoutSecrets(line: string, isSecret: IsSecret): string {
  const [, start = '', name = '', value = ''] =
    /^(\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*)(\S.*)$/s.exec(line) ?? []
  if (value === '' || namesWhatRuns(name)) return line
  // Read by a shell, it may assign or run something else as well.
  if (/\s[\w.-]+[=:]|`|\$\(|[;&|]/.test(value)) return line
  if (isSecret(name, '')) return start + hidden + afterWord(value)
  if (isRun.test(name) || !isSecret(name, value)) return line
  return value.includes('/')
    ? start + value.replace(/\/\/[^/@\s]+@/, `//${hidden}@`)
    : start + hidden + afterWord(value)
}

/** Returns what follows the first word and is no comment: a shell runs it. */
function afterWord(value: string): string {
  // A quote that is not closed may be taken for text.
  const [word = ''] = /^(?:"[^"]*"|'[^']*'|[^\s"'])+|^["'][^\s"'#]*/.exec(value) ?? []
  const rest = value.slice(word.length)
  return /^\s*(?:#.*)?$/.test(rest) ? '' : rest
}
