import { useRef, useState } from 'react'
import { DialogShell, Kbd } from '../../components/primitives/index.ts'
import { usePreference, useRoute, useStores } from '../../store/hooks.ts'
import { isCharacterKeys, type KeyCommand, type KeyGroup } from '../../store/window/keys.ts'
import { scopeOf } from '../../store/window/route.ts'
import { keyName } from './key-name.ts'

const groups: KeyGroup[] = ['Everywhere', 'Lists', 'Agent', 'Transcript', 'Replay', 'Review']

type ListedKey = KeyCommand & { keys: string }

/** The keys of the screen behind the dialog: those of the transcript while one is open. */
export function KeysDialog() {
  const { overlay, keys } = useStores()
  const route = useRoute()
  const scope = scopeOf(route)
  const characterKeys = usePreference('characterKeys')
  const list = useRef<HTMLElement>(null)
  // Read once, when the dialog opens: the transcript behind it unregisters its keys afterwards.
  const [registered] = useState(() => keys.store.getState())
  const commands = active(
    registered.filter(
      (command): command is ListedKey =>
        command.keys !== null &&
        (command.scope ?? 'window') === scope &&
        (characterKeys || !isCharacterKeys(command.keys) || isKeyOfList(command)),
    ),
  )
  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title="Keyboard shortcuts"
      size="small"
      focus={list}
      bare
    >
      {/* Focused, so that keys scroll it. */}
      <section
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        aria-label="Keys"
        className="focus-pane grid min-h-0 flex-1 gap-4 overflow-y-auto p-4"
      >
        {groups.map((group) => {
          const listed = distinct(commands.filter((command) => command.group === group))
          if (listed.length === 0) return null
          return (
            <section key={group}>
              <h3 className="mb-1 text-small font-semibold text-muted">{group}</h3>
              <dl className="divide-y">
                {listed.map(({ keys, also, label }) => (
                  <div key={keys} className="flex min-h-7 items-center justify-between gap-4">
                    <dt>{label}</dt>
                    <dd className="flex shrink-0 items-center gap-1" data-keys={keys}>
                      {keys.split(' ').map((key) => (
                        <Kbd key={key} keys={keyName(key)} />
                      ))}
                      {also ? (
                        <>
                          <span className="text-small text-muted">or</span>
                          <Kbd keys={keyName(also)} />
                        </>
                      ) : null}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          )
        })}
      </section>
    </DialogShell>
  )
}

/**
 * One meaning for each key: the one that a press has, as in `Keys.press`. A list that loses its letter keeps the arrow
 * that does the same.
 */
function active(commands: ListedKey[]): ListedKey[] {
  const meant = (keys: string) => {
    const same = commands.filter((command) => command.keys === keys)
    const runnable = same.filter(({ run }) => run)
    return (
      runnable.findLast(({ group }) => group !== 'Everywhere') ?? runnable.at(-1) ?? same.at(-1)
    )
  }
  return commands.flatMap((command) => {
    if (meant(command.keys)?.group === command.group) return [command]
    return command.also && !commands.some(({ keys }) => keys === command.also)
      ? [{ ...command, keys: command.also, also: undefined }]
      : []
  })
}

/** A focused list handles it itself. */
const isKeyOfList = ({ run, also }: KeyCommand): boolean => !run || also !== undefined

/** One line for each key, however many views registered it. */
const distinct = (commands: ListedKey[]): ListedKey[] => [
  ...new Map(commands.map((command) => [command.keys, command])).values(),
]
