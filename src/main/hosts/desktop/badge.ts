/** The number of things that need the user, which a page's title begins with: `(2) Fix the parser · Shiplog`. 0 without one. */
export const badgeCountOf = (title: string): number => Number(/^\((\d+)\) /.exec(title)?.[1] ?? 0)
