/** The remotes of a partial clone, from which Git would fetch missing objects (K8). */
import type { Setting } from './configuration.ts'

const promisorKey = /^remote\.(?:(.*)\.)?(promisor|partialclonefilter)$/s
/** Settings of a transfer that neither send it elsewhere nor write a file: all others of `http.*` may. */
const plainHttpKey =
  /^http\.(?:.*\.)?(?:proxy|version|postbuffer|lowspeed(?:limit|time)|maxrequests|minsessions|keepalive(?:idle|interval|count)|nomultiplex)$/s

/** Returns the names of the remotes from which Git would fetch missing objects. */
export function promisorsIn(settings: readonly Setting[]): ReadonlySet<string> {
  const remotes = new Set<string>()
  for (const { own, key, value } of settings) {
    // Without a name it is a remote with an empty name. A filter alone makes a remote a promisor.
    const [, name = '', field] = promisorKey.exec(key) ?? []
    if (own && field && (field !== 'promisor' || value !== 'false')) remotes.add(name)
    if (own && key === 'extensions.partialclone' && value !== '') remotes.add(value)
  }
  return remotes
}

/** Runs Git in the folder of the repository. */
export type Ask = (...args: string[]) => Promise<Buffer>

/** `remotes` as of `promisorsIn`; `unfetchable` are those from which Git must never fetch. */
export async function fetchesIn(
  ask: Ask,
  settings: readonly Setting[],
  remotes: ReadonlySet<string>,
): Promise<{ fetches: { remote: string; url: string }[]; unfetchable: string[] }> {
  const found: { remote: string; url: string }[] = []
  const unfetchable: string[] = []
  for (const remote of [...remotes].sort()) {
    if (!isOrdinary(settings, remote)) {
      unfetchable.push(remote)
      continue
    }
    // Returns the address after `url.<base>.insteadOf`. Makes no network request.
    const url = (await ask('ls-remote', '--get-url', '--', remote)).toString()
    found.push({ remote, url: url.replace(/\n$/, '') })
  }
  // Git tries all promisor remotes in turn, and none can be excluded.
  return { fetches: unfetchable.length > 0 ? [] : found, unfetchable }
}

/**
 * Git uses the first of several programs for a remote, so an override added later has no effect. Nor can settings of
 * `http` be overridden by what they were without the repository: with `curloptResolve` and without `sslVerify` another
 * server would get the user's credentials, and `cookieFile` names a file to write.
 */
const isOrdinary = (settings: readonly Setting[], remote: string): boolean =>
  !settings.some(
    ({ own, key }) =>
      own &&
      ([`remote.${remote}.uploadpack`, `remote.${remote}.vcs`].includes(key) ||
        (/^https?\./.test(key) && !plainHttpKey.test(key))),
  )
