/**
 * Unsent texts for agents by task, and the last sent prompts: both are kept after the window
 * closes, in this browser or window, and are not part of the record.
 */
import { z } from 'zod'

const keptSchema = z.object({
  drafts: z.record(z.string(), z.string()).catch({}),
  /** Oldest first. */
  sent: z.array(z.string()).catch([]),
})
type Kept = z.infer<typeof keptSchema>

const storageKey = 'shiplog.drafts'
/** Beyond this, the least recently changed drafts are dropped. */
const draftsMax = 50
const sentMax = 100
/** Storage holds a few megabytes in total: a longer text is kept until the window is closed. */
const keptCharsMax = 20_000
/** A text is stored once the user pauses. */
const writeAfterMs = 400

export interface Drafts {
  of(key: string): string
  set(key: string, text: string): void
  /** Records a sent prompt and removes the draft. */
  sent(key: string, prompt: string): void
  /** Returns the sent prompts, newest first, without duplicates. */
  history(): string[]
  /** Writes pending texts. Call it before closing. */
  flush(): void
}

export function createDrafts(storage: Pick<Storage, 'getItem' | 'setItem'>): Drafts {
  const kept = read(storage)
  const drafts = new Map(Object.entries(kept.drafts))
  let sent = kept.sent
  let timer: ReturnType<typeof setTimeout> | null = null

  function flush(): void {
    if (timer === null) return
    clearTimeout(timer)
    timer = null
    const short = ([, text]: [string, string]) => text.length <= keptCharsMax
    const kept: Kept = {
      drafts: Object.fromEntries([...drafts].filter(short).slice(-draftsMax)),
      sent: sent.filter((text) => text.length <= keptCharsMax),
    }
    try {
      storage.setItem(storageKey, JSON.stringify(kept))
    } catch {
      // Storage is full or disabled: the text is kept until the window is closed.
    }
  }

  function soon(): void {
    timer ??= setTimeout(flush, writeAfterMs)
  }

  function set(key: string, text: string): void {
    drafts.delete(key)
    if (text !== '') drafts.set(key, text)
    soon()
  }

  return {
    of: (key) => drafts.get(key) ?? '',
    set,
    sent(key, prompt) {
      sent = [...sent.filter((text) => text !== prompt), prompt].slice(-sentMax)
      set(key, '')
    },
    history: () => sent.toReversed(),
    flush,
  }
}

/**
 * Returns the draft after `prompt` was sent: the text typed after it, or all of `text` if it no
 * longer starts with `prompt`.
 */
export function textAfter(prompt: string, text: string): string {
  const rest = text.trimStart()
  return rest.startsWith(prompt) ? rest.slice(prompt.length).trimStart() : text
}

function read(storage: Pick<Storage, 'getItem'>): Kept {
  try {
    return keptSchema.parse(JSON.parse(storage.getItem(storageKey) ?? '{}'))
  } catch {
    return { drafts: {}, sent: [] }
  }
}
