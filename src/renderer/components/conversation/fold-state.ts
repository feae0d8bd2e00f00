/** Which folds are open, kept beside the list: a row that scrolls away and back is as it was left. */
import { createContext, useContext, useState } from 'react'

export const FoldContext = createContext<Map<string, boolean>>(new Map())

/** `openAtFirst`: until the person folds or opens it. */
export function useFold(key: string, openAtFirst = false): [open: boolean, toggle: () => void] {
  const folds = useContext(FoldContext)
  const [chosen, setChosen] = useState(() => folds.get(key))
  const open = chosen ?? openAtFirst
  const toggle = () => {
    folds.set(key, !open)
    setChosen(!open)
  }
  return [open, toggle]
}
