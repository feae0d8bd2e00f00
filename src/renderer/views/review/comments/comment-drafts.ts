import type { Drafts } from '../../../store/prompt/drafts.ts'

/** The unsaved comments of one file, by place or comment. They are kept like unsent prompts. */
export interface CommentDrafts {
  get(id: string): string | undefined
  has(id: string): boolean
  set(id: string, text: string): void
  delete(id: string): void
}

export function commentDrafts(drafts: Drafts, file: string): CommentDrafts {
  const of = (id: string) => drafts.of(`${file} ${id}`)
  return {
    get: (id) => of(id) || undefined,
    has: (id) => of(id) !== '',
    set: (id, text) => drafts.set(`${file} ${id}`, text),
    delete: (id) => drafts.set(`${file} ${id}`, ''),
  }
}
