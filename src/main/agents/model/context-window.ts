/** How many tokens a model's server takes. Apart from the list of prices, which is large and loaded with the first turn. */

/** What was set for a model, or its server reports: in tokens, the answer included. */
export interface ContextWindow {
  /** With which the model is run; null: not known. */
  tokens: number | null
  /** With which it can be run at most; null: not known. */
  tokensMax: number | null
}
export const unknownWindow: ContextWindow = { tokens: null, tokensMax: null }
