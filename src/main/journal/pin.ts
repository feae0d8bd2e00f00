// The beginning of a line's sum as a number: small enough to be kept for every record, long enough that a
// line which is not the one that was scanned is noticed, even when it is whole.

/** Characters of a sum: 48 bits, which a number holds exactly. */
export const pinLength = 8

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const values = new Map([...digits].map((digit, value) => [digit.charCodeAt(0), value]))

/** NaN when `text` is not base64url: then nothing has this pin. */
export function pinOf(text: string, start = 0): number {
  let pin = 0
  for (let at = start; at < start + pinLength; at++)
    pin = pin * 64 + (values.get(text.charCodeAt(at)) ?? Number.NaN)
  return pin
}

/** The characters that `pinOf` read. */
export function pinText(pin: number): string {
  let text = ''
  for (let rest = pin, n = 0; n < pinLength; n++) {
    text = digits.charAt(rest % 64) + text
    rest = Math.floor(rest / 64)
  }
  return text
}
