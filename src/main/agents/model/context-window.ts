/** The context window of a model, as the user set it or its server reports it. In tokens, the answer included. */
export interface ContextWindow {
  /** The window with which the model runs; null if not known. */
  tokens: number | null
  /** The largest window with which it can run; null if not known. */
  tokensMax: number | null
}
export const unknownWindow: ContextWindow = { tokens: null, tokensMax: null }
