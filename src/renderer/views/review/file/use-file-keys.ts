import { useKeys } from '../../shell/use-keys.ts'
import type { useChangeSteps } from './use-change-steps.ts'
import type { useLineCursor } from './use-line-cursor.ts'

/** The keys of the file that is reviewed. */
export function useFileKeys(file: {
  steps: ReturnType<typeof useChangeSteps>
  cursor: ReturnType<typeof useLineCursor>
  openAuthor(): void
  comment(): void
}): void {
  const { steps, cursor, openAuthor, comment } = file
  const group = 'Review'
  useKeys([
    { keys: 'n', label: 'Next change', group, run: () => steps.step(1) },
    { keys: 'p', label: 'Previous change', group, run: () => steps.step(-1) },
    {
      keys: 'ArrowDown',
      label: 'Next line',
      group,
      inPalette: false,
      run: () => cursor.move(1),
    },
    {
      keys: 'ArrowUp',
      label: 'Previous line',
      group,
      inPalette: false,
      run: () => cursor.move(-1),
    },
    { keys: 't', label: 'Turn that wrote the change', group, run: openAuthor },
    { keys: 'c', label: 'Comment on the line', group, run: comment },
  ])
}
