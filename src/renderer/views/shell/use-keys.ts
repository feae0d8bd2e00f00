import { useEffect, useRef } from 'react'
import { useStores } from '../../store/hooks.ts'
import { isCharacterKeys, type KeyCommand } from '../../store/window/keys.ts'
import { scopeOf } from '../../store/window/route.ts'

/** Registers keys while the component is shown. `commands` may be a new array at each render. */
export function useKeys(commands: KeyCommand[]): void {
  const { keys } = useStores()
  const latest = useRef(commands)
  latest.current = commands
  const names = commands
    .map(({ keys, label, run }) => `${keys} ${label} ${Boolean(run)}`)
    .join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `names` identifies the commands; the functions are looked up when a key is pressed
  useEffect(
    () =>
      keys.register(
        latest.current.map((command, index) => ({
          ...command,
          run: command.run && (() => latest.current[index]?.run?.()),
        })),
      ),
    [keys, names],
  )
}

/** Handles the keys of the whole window. Use it once, in the shell. */
export function useKeyListener(): void {
  const { keys, overlay, navigation, earlyKeys, preferences } = useStores()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      // A key that is held down counts as one press.
      if (event.repeat && event.key === 'Escape') return
      const mod = event.ctrlKey || event.metaKey
      const { target } = event
      if (target instanceof Element) {
        // Keys in a field are text, and an open menu has keys of its own.
        if (!mod && !leavesText.has(event.key) && target.closest(textFields)) return
        // Between the fields of a form, a letter was meant for one of them.
        if (!mod && event.key.length === 1 && target.closest(formControls)) return
        if (target.closest(openPopups)) return
      }
      if (overlay.store.getState().kind !== 'none') return
      const command = keys.press(
        { key: event.key, mod, alt: event.altKey, shift: event.shiftKey },
        scopeOf(navigation.route.getState()),
        event.timeStamp,
      )
      if (!command?.run) return
      if (isCharacterKeys(command.keys) && !preferences.getState().characterKeys) return
      event.preventDefault()
      command.run()
    }
    window.addEventListener('keydown', onKeyDown)
    // Keys pressed before the app was ready are handled after the screen has registered its commands.
    const frame = requestAnimationFrame(() => {
      for (const event of earlyKeys?.release() ?? []) onKeyDown(event)
    })
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('keydown', onKeyDown)
    }
  }, [keys, overlay, navigation, earlyKeys, preferences])
}

/** An open popup handles all keys. A permanent listbox, such as the archive's list, handles only its own. */
const openPopups = '[role="menu"], [role="listbox"]:not([data-stays])'

/** A closed select finds its options by their first letters. */
const formControls = 'form, [role="combobox"]'

/** Keys that no text field uses. */
const leavesText = new Set(['Escape', 'F6'])

export const textFields =
  'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]'
