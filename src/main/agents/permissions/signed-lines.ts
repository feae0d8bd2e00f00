/** Prefixes each line with a sign, so that no text of an agent can imitate another part of a question. */
export const signedLines = (sign: '+' | '-', text: string): string[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${sign} ${line}`)

/** Shows line breaks as signs, for the same reason. */
export const onOneLine = (text: string): string => text.replaceAll('\r', '␍').replaceAll('\n', '␊')
