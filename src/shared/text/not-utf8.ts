/**
 * What Node puts in the place of bytes of a file's name that are not UTF-8. A path with it may lead to no file, or to
 * another one that has this name.
 */
export const notUtf8 = '\ufffd'
