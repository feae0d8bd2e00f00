/** The options of a session: its model, its mode, and what else the agent offers. */
import { isRecord, text } from './content.ts'

/** `answer`: anything with `configOptions`. */
export const optionOf = (answer: Record<string, unknown>, category: string) =>
  Array.isArray(answer.configOptions)
    ? answer.configOptions.filter(isRecord).find((option) => option.category === category)
    : undefined

/** The values of a select, grouped or not. */
export function valuesOf({ options }: Record<string, unknown>): (string | null)[] {
  if (!Array.isArray(options)) return []
  return options.flatMap((option) => {
    if (!isRecord(option)) return []
    return Array.isArray(option.options) ? valuesOf(option) : [text(option.value)]
  })
}

export function modelOf(answer: Record<string, unknown>): string | null {
  const models = isRecord(answer.models) ? answer.models : {}
  return text(optionOf(answer, 'model')?.currentValue) ?? text(models.currentModelId)
}
