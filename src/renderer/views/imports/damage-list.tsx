import type { ImportDetails } from '../../../shared/contract/imports.ts'
import { counted } from '../../components/primitives/format.ts'

/** Lines that could not be read: where they are, and why. */
export function DamageList({ damage, damaged }: Pick<ImportDetails, 'damage' | 'damaged'>) {
  const more = damaged - damage.length
  return (
    <ul aria-label="Lines that could not be read" className="max-h-40 overflow-auto">
      {damage.map(({ file, line, reason }) => (
        <li key={`${file}:${line}:${reason}`} className="untrusted wrap-anywhere">
          {file}:{line}: {reason}
        </li>
      ))}
      {more > 0 ? <li>and {counted(more, 'line')} more, which the transcripts show</li> : null}
    </ul>
  )
}
