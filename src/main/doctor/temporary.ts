/** Names of files that are renamed right after writing; any that remain are from a process that died. */
const temporaryNames = [
  /\.tmp$/,
  // write-file-atomic: the name and a number.
  /^partial\.json\.\d+$/,
  /^lease\.json\..+\.prepared$/,
]

export const isTemporary = (name: string): boolean => temporaryNames.some((one) => one.test(name))
