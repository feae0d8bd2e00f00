/**
 * Terminal output as text: colour and cursor sequences go, a line that was written over shows its last
 * state, other control characters show as their pictures instead of vanishing, and the marks that turn
 * the direction of text are made visible: what reads as `exe.png` must not be `gnp.exe`.
 */
export function plainText(text: string): string {
  return text
    .replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/g, '')
    .replace(/\r\n/g, '\n')
    .replace(/[^\n]*\r(?!\n)/g, '')
    .replace(/[\u0000-\u0008\u000B-\u001F]/g, (char) =>
      String.fromCharCode(0x2400 + char.charCodeAt(0)),
    )
    .replace(/\u007F/g, '\u2421')
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '\uFFFD')
}
