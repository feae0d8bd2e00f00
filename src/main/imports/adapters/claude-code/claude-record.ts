/** Whether the value is a whole record, not a nested object of a torn one. */
export const isClaudeRecord = (value: Record<string, unknown>): boolean =>
  typeof value.type === 'string' &&
  ['uuid', 'sessionId', 'timestamp', 'messageId', 'leafUuid'].some(
    (key) => typeof value[key] === 'string',
  )
