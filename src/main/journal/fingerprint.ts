// The beginning of a line's sum as a number: small enough to be kept for every record, long enough that a
// line which is not the one that was scanned is noticed, even when it is whole.

/** 8 characters of a sum, 48 bits: a number holds them exactly. */
const fingerprintChars = 8
const fingerprintBytes = 6

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const values = new Uint8Array(128)
for (const [value, digit] of [...digits].entries()) values[digit.charCodeAt(0)] = value

/** `sum` is base64url, as in a line. */
export function fingerprintOf(sum: string): number {
  let fingerprint = 0
  for (let at = 0; at < fingerprintChars; at++)
    fingerprint = fingerprint * 64 + (values[sum.charCodeAt(at)] ?? 0)
  return fingerprint
}

/** The 8 characters of each fingerprint, one after the other. */
export function textOfFingerprints(fingerprints: readonly number[]): string {
  const bytes = Buffer.alloc(fingerprints.length * fingerprintBytes)
  for (const [i, fingerprint] of fingerprints.entries())
    bytes.writeUIntBE(fingerprint, i * fingerprintBytes, fingerprintBytes)
  return bytes.toString('base64url')
}

/** What `textOfFingerprints` was given; null when the text holds anything else. */
export function fingerprintsIn(text: string): number[] | null {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length % fingerprintBytes !== 0 || bytes.toString('base64url') !== text) return null
  const fingerprints: number[] = []
  for (let at = 0; at < bytes.length; at += fingerprintBytes)
    fingerprints.push(bytes.readUInt16BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 2))
  return fingerprints
}
