// The beginning of a line's sum as a number: small enough to be kept for every record, long enough that a
// line which is not the one that was scanned is noticed, even when it is whole.

/** 8 characters of a sum, 48 bits: a number holds them exactly. */
const pinCharacters = 8
const pinBytes = 6

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const values = new Uint8Array(128)
for (const [value, digit] of [...digits].entries()) values[digit.charCodeAt(0)] = value

/** `sum` is base64url, as in a line. */
export function pinOf(sum: string): number {
  let pin = 0
  for (let at = 0; at < pinCharacters; at++) pin = pin * 64 + (values[sum.charCodeAt(at)] ?? 0)
  return pin
}

/** The 8 characters of each pin, one after the other. */
export function textOfPins(pins: readonly number[]): string {
  const bytes = Buffer.alloc(pins.length * pinBytes)
  for (const [i, pin] of pins.entries()) bytes.writeUIntBE(pin, i * pinBytes, pinBytes)
  return bytes.toString('base64url')
}

/** What `textOfPins` was given; null when the text holds anything else. */
export function pinsIn(text: string): number[] | null {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length % pinBytes !== 0 || bytes.toString('base64url') !== text) return null
  const pins: number[] = []
  for (let at = 0; at < bytes.length; at += pinBytes)
    pins.push(bytes.readUInt16BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 2))
  return pins
}
