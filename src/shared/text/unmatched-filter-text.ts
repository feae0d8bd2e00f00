import type { UnmatchedFilter } from '../contract/search.ts'

const nothingTexts: Record<UnmatchedFilter['filter'], string> = {
  tool: 'No tool with this name was called',
  project: 'No project has this name or folder',
  agent: 'No agent has this name',
}

/** `tool:bsh: No tool with this name was called. Did you mean tool:bash?` */
export function unmatchedFilterText({ filter, value, near }: UnmatchedFilter): string {
  const meant = near === null ? '' : ` Did you mean ${filter}:${near}?`
  return `${filter}:${value}: ${nothingTexts[filter]}.${meant}`
}
