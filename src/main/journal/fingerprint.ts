// The beginning of a line's sum as a number: small enough to be kept for every record, long enough that a
// line which is not the one that was scanned is noticed, even when it is whole.

/** 8 characters of a sum, 48 bits: a number holds them exactly. */
const fingerprintChars = 8

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
