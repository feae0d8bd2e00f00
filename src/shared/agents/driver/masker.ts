/** Replaces known secret values in texts. */

/** Replaces known secret values by `[hidden: NAME]` (K3). */
export interface Masker {
  text(text: string): string
  /** Masks every string of a JSON value, including keys. */
  value<Value>(value: Value): Value
  /**
   * Masks for a question to the user, who must see what will run: only values that neither the
   * project nor an agent can have chosen.
   */
  asked<Value>(value: Value): Value
  /** Masks a streamed text, in which a value may be split over several pieces. */
  stream(): MaskStream
}

export interface MaskStream {
  /** Returns the masked text so far, without an end that may be the beginning of a secret. */
  push(piece: string): string
  /** Returns the rest. */
  end(): string
}
