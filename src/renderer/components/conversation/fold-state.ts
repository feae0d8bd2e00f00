/** Which folds are open, kept beside the list: a row that scrolls away and back is as it was left. */
import { createContext, useContext, useState } from 'react'

interface Folds {
  open: Map<string, boolean>
  /** Called when the person folds or opens something: what they look at must stay where it is. */
  onToggle(): void
}

export const FoldContext = createContext<Folds>({ open: new Map(), onToggle() {} })

/** `openAtFirst`: until the person folds or opens it. */
export function useFold(key: string, openAtFirst = false): [open: boolean, toggle: () => void] {
  const folds = useContext(FoldContext)
  const [chosen, setChosen] = useState(() => folds.open.get(key))
  const open = chosen ?? openAtFirst
  const toggle = () => {
    folds.open.set(key, !open)
    folds.onToggle()
    setChosen(!open)
  }
  return [open, toggle]
}
