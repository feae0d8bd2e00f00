/**
 * Reports whether a locale's encoding is UTF-8 or ASCII. In others, such as GBK and Shift-JIS, a backslash or a quote can
 * be the second half of a character, so that a shell ends a quoted text elsewhere than the parser of permissions.
 */
export const isPlainLocale = (locale: string): boolean =>
  /^(?:C|POSIX|[\w@.-]*\.utf-?8(?:@\w+)?)?$/i.test(locale)
