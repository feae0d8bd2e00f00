import type { ShownCommand } from '../../../shared/text/shown-text.ts'

/** A line of a command, in the order in which it runs, with its hidden characters marked. */
export function CommandPieces({ pieces }: { pieces: ShownCommand['lines'][number] }) {
  return (
    <code className="command-order min-w-0 flex-1">
      {pieces.map(({ text, hidden }, at) =>
        hidden ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its position
          <mark key={at} className="rounded-sm bg-red-tint text-red">
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </code>
  )
}
