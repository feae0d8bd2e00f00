/**
 * Persists the port and the hashes of page tokens in the data directory (0600), so that open pages reconnect after a
 * restart. Never stores a token: agents can read files there (K7).
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { dayMs } from '../../../shared/durations.ts'
import { readJsonFile, writeFileDurable } from '../../journal/index.ts'

/** Every start adds a token, because it prints a link; a user has a few pages open. */
const pagesMax = 16
/** A tab that was not used for so long needs the new link. */
const pageAgeMsMax = 30 * dayMs
/** 256 bits, as many as the hash it is compared by. */
const tokenBytes = 32
/** By this time a browser has started and loaded the page. */
const codeMsMax = 60_000

const fileSchema = z.object({
  version: z.literal(1),
  /** The same each time, or the pages would look for the host in another place. */
  port: z.number().int(),
  pages: z.array(z.object({ tokenSha256: z.string(), usedAtMs: z.number() })),
})
type Page = z.infer<typeof fileSchema>['pages'][number]

export interface Pages {
  /** The port of the last start; null if unknown. */
  readonly port: number | null
  /** A token for a page that is about to be opened. */
  mint(): string
  /** Whether a token is a page's; that page then counts as used now. */
  isPage(token: string): boolean
  /** Valid for one page, once and for a minute: other users can see a command's arguments. */
  mintCode(): string
  /** The token of a page for a code, or null. */
  redeem(code: string): string | null
  /** Saves the pages with the port. Resolves when they are durable. */
  listensOn(port: number): Promise<void>
  /** Waits for what is being written. */
  close(): Promise<void>
}

export const newToken = (): string => randomBytes(tokenBytes).toString('base64url')

/** `file`: null saves nothing. An unreadable file is ignored: then the pages ask for the new link. */
export async function openPages(
  file: string | null,
  clock: () => number = Date.now,
): Promise<Pages> {
  const read = file === null ? null : await readJsonFile(file, fileSchema).catch(() => null)
  const known = read?.kind === 'ok' ? read.value : null
  let pages: Page[] = (known?.pages ?? []).filter((page) => clock() - page.usedAtMs < pageAgeMsMax)
  let port = known?.port ?? null
  let saving: Promise<void> = Promise.resolve()
  const codes = new Map<string, number>()

  function save(): Promise<void> {
    if (file === null || port === null) return saving
    const text = `${JSON.stringify({ version: 1, port, pages }, null, 2)}\n`
    // A page whose token is not saved only has to ask for the link once more.
    saving = writeFileDurable(file, text).catch(() => {})
    return saving
  }

  function use(tokenSha256: string): void {
    const others = pages.filter((page) => page.tokenSha256 !== tokenSha256)
    pages = [{ tokenSha256, usedAtMs: clock() }, ...others].slice(0, pagesMax)
    void save()
  }

  function mint(): string {
    const token = newToken()
    use(hashOf(token))
    return token
  }

  return {
    port,
    mint,
    isPage(token) {
      const hash = hashOf(token)
      if (!pages.some((page) => isSame(page.tokenSha256, hash))) return false
      use(hash)
      return true
    },
    mintCode() {
      const code = newToken()
      codes.set(hashOf(code), clock() + codeMsMax)
      return code
    },
    redeem(code) {
      const hash = hashOf(code)
      const until = codes.get(hash)
      codes.delete(hash)
      return until !== undefined && clock() < until ? mint() : null
    },
    listensOn(listening) {
      port = listening
      return save()
    },
    close: () => saving,
  }
}

/** Takes the same time for any length and any match. */
export const isSameToken = (one: string, other: string): boolean =>
  isSame(hashOf(one), hashOf(other))

/** A browser never sends the fragment. */
export const linkWith = (origin: string, token: string): string => `${origin}/#token=${token}`

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
