import { createContext, useContext, useEffect, useRef } from 'react'
import { useStores } from '../../store/hooks.ts'

/** Which settings have changes that are not saved, by name. */
export const UnsavedContext = createContext<Set<string>>(new Set())

/** Names these settings to the user, such as `limits`, who would otherwise leave the screen without saving them. */
export function useUnsaved(what: string, isChanged: boolean): void {
  const unsaved = useContext(UnsavedContext)
  useEffect(() => {
    if (!isChanged) return
    unsaved.add(what)
    return () => void unsaved.delete(what)
  }, [unsaved, what, isChanged])
}

/** Asks before the screen is left with unsaved changes. Returns the value of `UnsavedContext`. */
export function useLeaveGuard(): Set<string> {
  const { navigation, overlay } = useStores()
  const { current: unsaved } = useRef(new Set<string>())
  useEffect(
    () =>
      navigation.guard((to, leave) => {
        if (unsaved.size === 0 || to.screen === 'settings') return true
        overlay.show({
          kind: 'confirm',
          confirmation: {
            title: 'Leave without saving?',
            action: 'Discard changes',
            doing: 'leave the settings',
            danger: true,
            text: `Your changes of the ${[...unsaved].join(' and the ')} are not saved.`,
            async run() {
              unsaved.clear()
              leave()
            },
          },
        })
        return false
      }),
    [navigation, overlay, unsaved],
  )
  return unsaved
}
