/** Variables that change how a shell reads its commands, which permissions are decided by. */
export const shellVariable =
  /^(?:CDPATH|GLOBIGNORE|SHELLOPTS|BASHOPTS|BASH_COMPAT|POSIXLY_CORRECT|ENV)$/
