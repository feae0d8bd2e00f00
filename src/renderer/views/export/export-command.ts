import { shortId, type TaskId } from '../../../shared/records/ids.ts'
import type { ExportChoice } from './use-export-preview.ts'

/** The `shiplog export` command that makes the same export. */
export function commandFor(choice: ExportChoice, fileName = 'FILE'): string {
  const { taskId, format, children, outputs, content, redact, keep = [] } = choice
  const { fromTurn, throughTurn } = choice
  return [
    `shiplog export ${shortId(taskId as TaskId)} --format ${format}`,
    ...(children === undefined || children === 'inline' ? [] : [`--children ${children}`]),
    ...(fromTurn === undefined || fromTurn === 1 ? [] : [`--from-turn ${fromTurn}`]),
    ...(throughTurn === undefined ? [] : [`--through-turn ${throughTurn}`]),
    ...(outputs === 'whole' ? ['--outputs whole'] : []),
    ...(content && format === 'otlp' ? ['--content'] : []),
    ...(redact === false ? ['--no-redact'] : keep.map((id) => `--keep ${id}`)),
    `-o ${fileName}`,
  ].join(' ')
}
