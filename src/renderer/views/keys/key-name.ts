const names: Record<string, string> = {
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: 'Page up',
  PageDown: 'Page down',
}

/** `Mod+K` for `Mod+k`, `Esc` for `Escape`: a key of a command as it is shown. */
export const keyName = (keys: string): string =>
  keys
    .split('+')
    .map((key) => names[key] ?? (keys.includes('+') && key.length === 1 ? key.toUpperCase() : key))
    .join('+')
