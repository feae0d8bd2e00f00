/**
 * Recognizes shell text that every shell reads as bash does, because commands are parsed with bash's grammar, and text
 * without expansions.
 */

/** Syntax without expansions that bash, dash, zsh and fish read alike. */
const common = [
  // The second byte of a letter outside of ASCII would not be quoted.
  /\\[ !-/:-@[-^`{-~]/,
  // To zsh, a word `=name` is the path of a program.
  /[\w./:@%,?-]|\*(?!\*)|(?<=[\w-])=(?![(=])|\+(?!=)|~(?![+\d-])/,
  // `[` as a command, and subshells. To zsh, `}` ends a group anywhere.
  /\[(?=\s)|\](?=[\s;]|$)|!(?=\s)/,
  /(?<=^|[\s;&|])\((?!\()|\)/,
  // Separators and redirections, each in one way only: a row of pipes that can be read in two ways takes longer than
  // anyone waits. To zsh, `>&2-` writes a file `2-`.
  /[ \t\n]|;(?!&)|&&(?!&)|&(?=[\s;]|$)|\|\|?(?![|&])/,
  /<(?![<>(&\d-])|>>?(?![>|(&!])|[\d ]>&\d(?=[\s;&|)]|$)/,
]

/**
 * Each alternative is read alike by bash, dash, zsh and fish. To dash, `a+=b/c` and `a[0]=b/c` are programs, `$'\\'` is
 * an unfinished string, and `[[ a || b ]]` runs `b`; zsh runs the code in `*(e:code:)`.
 */
const alike = anyOf([
  ...common,
  // To fish, `'\''` is one string.
  /'(?:[^'\\]|\\(?!['\\]))*'/,
  // Plain variables only, which zsh must not take for array elements.
  /"(?:[^"$`\\]|\$\w+(?![\w[])|\$\{\w+\})*"/,
  /\$(?:[?#@*!-]|\w+(?![\w[])|\{\w+\}|\((?!\())/,
])

/** Syntax of Bash without expansions. Unquoted, some versions take a part of a letter such as `à` for a blank. */
const plain = anyOf([
  ...common,
  /'[^']*'/,
  /"(?:[^"$`\\]|\\[^\n]|\$\?)*"/,
  /\$\?/,
  /\*\*|\^|&>(?=[ \t]*\/dev\/null)/,
])

function anyOf(syntax: RegExp[]): RegExp {
  return new RegExp(`^(?:${syntax.map(({ source }) => source).join('|')})*$`)
}

/**
 * Reserved words of some shells; variables with a meaning to zsh; numbers, which zsh evaluates as arithmetic, with
 * substitutions in an index; descriptors of two digits, which to dash and zsh are an argument (`rm 11>a`);
 * `1=a program`, which zsh takes for an assignment.
 */
const special =
  /\b(?:function|select|coproc|time|foreach|repeat|always|printf|histchars)\b|(?:^|[\s;&|(])(?:path|cdpath|fpath|module_path)(?=$|[\s;=])|\bdirstack\b|\s-(?:t|eq|ne|lt|le|gt|ge)\s|\[[^\]\n]{0,200}(?:\$\(|`)|\d\d[<>]|(?:^|[\s;&|(])\d+=/

/** Reports whether the text means the same to every shell. False where that is not certain. */
export const isReadAlike = (text: string): boolean =>
  text.length <= charsMax && alike.test(text) && !special.test(text)

/**
 * Reports whether the text has nothing that the shell replaces but patterns of files and the status `$?`: no variables,
 * substitutions, here-documents or braces. What it does can then be told from the text.
 */
export const isPlain = (text: string): boolean => text.length <= charsMax && plain.test(text)

/**
 * Bash before version 4 ends a substitution at the first `)` that is not quoted, even that of a `case` or in a
 * here-document: in `"$(case a in a) echo "; program; echo "b;; esac)"` it runs the program.
 */
export const isReadAlikeByOldBash = (text: string): boolean =>
  !(/[$<>](?:\\\n)*\(/.test(text) && endsEarly.test(text))

const endsEarly = /(?:^|[\s;&|(])case\s|(?<!<)<<(?!<)|(?:^|[\s;&|()<>])#|\\\n/

/** The expressions fail on texts of megabytes, which no command is. */
const charsMax = 200_000
