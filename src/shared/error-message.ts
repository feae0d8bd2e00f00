/** Returns the message of a caught value, which may be no Error. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
