import { useMemo } from 'react'
import { shownCommand } from '../../../shared/text/shown-text.ts'
import { CommandPieces } from './command-pieces.tsx'

/** Below a field, which shows its text as it is: the rules in it that have hidden characters, with those marked. */
export function HiddenInRule({ rules }: { rules: string }) {
  const lines = useMemo(
    () => shownCommand(rules).lines.filter((pieces) => pieces.some(({ hidden }) => hidden)),
    [rules],
  )
  if (lines.length === 0) return null
  return (
    <div role="status" className="flex flex-col gap-1 text-small text-amber">
      It has characters that can’t be seen; here their codes are shown in their place:
      {lines.map((pieces, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its position
        <div key={index} className={lineClasses}>
          <CommandPieces pieces={pieces} />
        </div>
      ))}
    </div>
  )
}

const lineClasses = 'flex rounded-sm bg-canvas px-2 py-1 font-mono text-code text-ink'
