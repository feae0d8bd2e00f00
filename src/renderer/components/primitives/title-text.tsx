import { plainText } from '../../../shared/text/plain-text.ts'
import { classNames } from './class-names.ts'

/**
 * A title on one line, from an agent or a person: its beginning is shown, whatever script it is in, and the
 * ellipsis stands where it is cut. What changes the direction of text is taken out, so that it can't reorder
 * what is beside it.
 */
export function TitleText({ title, className }: { title: string; className?: string }) {
  const text = plainText(title)
  return (
    <span
      dir="auto"
      title={text}
      className={classNames('block truncate text-left [unicode-bidi:isolate]', className)}
    >
      {text}
    </span>
  )
}
