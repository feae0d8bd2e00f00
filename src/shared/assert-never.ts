/** Ends an exhaustive switch: a new member of a union becomes a compile error here. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
