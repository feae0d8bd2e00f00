/** Names of files that are written and renamed at once; what is left of them is from a process that died. */
const temporaryNames = [
  /\.tmp$/,
  // write-file-atomic: the name and a number.
  /^partial\.json\.\d+$/,
  /^lease\.json\..+\.prepared$/,
]

export const isTemporary = (name: string): boolean => temporaryNames.some((one) => one.test(name))
