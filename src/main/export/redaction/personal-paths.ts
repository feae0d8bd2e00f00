/** Finds the parts of a text that identify the user: home directory and account name. */

export interface Person {
  /** Absolute; null: unknown. */
  home: string | null
  user: string | null
}

interface PersonalPart {
  start: number
  /** Exclusive. */
  end: number
  kind: 'home' | 'user'
  mark: string
}

/** Home directories of all systems, because texts may come from other machines. A name ends before a full stop. */
const homes =
  /(?<![\w.~-])(?:\/home\/|\/Users\/|[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/))[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_.-]*[\p{L}\p{N}\p{M}_])?/gu

/** Account names that identify nobody and are common words. */
const impersonal = new Set(
  'root user users admin administrator home guest nobody node ubuntu debian ec2-user vagrant runner docker agent agents test tester dev developer build builder ci git app main master'.split(
    ' ',
  ),
)
/** Shorter names match common words or parts of them. */
const userCharsMin = 3

/** Returns a function that finds these parts in order, without overlaps. */
export function createFindPersonal({ home, user }: Person): (text: string) => PersonalPart[] {
  const ownHome = home !== null && home.length > 1 ? wholePath(home) : null
  const isName = user !== null && user.length >= userCharsMin && !impersonal.has(user.toLowerCase())
  const ownUser = isName ? new RegExp(`(?<![\\w-])${escaped(user)}(?![\\w-])`, 'g') : null
  return (text) => {
    const found: PersonalPart[] = []
    const add = (start: number, length: number, kind: PersonalPart['kind'], mark: string) => {
      const end = start + length
      if (!found.some((one) => start < one.end && one.start < end))
        found.push({ start, end, kind, mark })
    }
    if (ownHome && home !== null && text.includes(home))
      for (const { index, 0: path } of text.matchAll(ownHome)) add(index, path.length, 'home', '~')
    for (const { index, 0: path } of text.matchAll(homes)) add(index, path.length, 'home', '~')
    if (ownUser && user !== null && text.includes(user))
      for (const { index, 0: name } of text.matchAll(ownUser))
        add(index, name.length, 'user', '[hidden: user name]')
    return found.sort((a, b) => a.start - b.start)
  }
}

const wholePath = (path: string): RegExp =>
  new RegExp(`(?<![\\w.~-])${escaped(path.replace(/[\\/]+$/, ''))}(?![\\w.-])`, 'g')

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&')
