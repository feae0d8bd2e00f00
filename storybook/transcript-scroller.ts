/** Where a transcript's list stands, for the play functions of its stories. */
import { expect, waitFor, within } from 'storybook/test'

export const scrollerOf = (canvas: HTMLElement) =>
  within(canvas).getByRole('region', { name: /Conversation/ })
export const distanceFromEnd = (box: HTMLElement) =>
  box.scrollHeight - box.scrollTop - box.clientHeight
/** Scrolled to its end; browsers round an offset to fractions of a pixel. */
export const tailPx = 1
export const frames = async (count: number) => {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame)
}
/**
 * The rows in view fill it and adjoin each other: none is still to be made or measured. On a busy machine
 * that can take longer than a few frames, and places that are read before it are of a list on its way.
 */
const isFilled = (box: HTMLElement): boolean => {
  const view = box.getBoundingClientRect()
  const feed = within(box).getByRole('feed').getBoundingClientRect()
  const rows = [...box.querySelectorAll('article')]
    .map((row) => row.getBoundingClientRect())
    .filter(({ top, bottom }) => bottom > view.top && top < view.bottom)
    .sort((a, b) => a.top - b.top)
  const paddingPx = 24
  const first = rows[0]
  const last = rows.at(-1)
  if (!first || !last) return false
  return (
    first.top <= Math.max(view.top, feed.top + paddingPx) + 1 &&
    last.bottom >= Math.min(view.bottom, feed.bottom - paddingPx) - 1 &&
    rows.every(
      ({ top }, index) => index === 0 || Math.abs(top - (rows[index - 1]?.bottom ?? 0)) <= 1,
    )
  )
}
export const untilFilled = (box: HTMLElement) => waitFor(() => expect(isFilled(box)).toBe(true))
