import { createContext } from 'react'

/** How diffs are laid out wherever the user may choose; without `onChange` there is no choice. */
export interface DiffLayout {
  layout: 'unified' | 'split'
  onChange?(layout: 'unified' | 'split'): void
}

export const DiffLayoutContext = createContext<DiffLayout>({ layout: 'unified' })
