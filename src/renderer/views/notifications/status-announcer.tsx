import { useEffect, useRef, useState } from 'react'
import { statusLabel } from '../../components/primitives/index.ts'
import { watchRoots } from '../../store/attention/root-endings.ts'
import { useStores } from '../../store/hooks.ts'
import { useNeedsYou } from '../sidebar/use-needs-you.ts'
import { needTitles, willSleep } from './use-notifications.ts'

/**
 * Announces to screen readers, politely, that an agent ended or waits for the user: never
 * what an agent writes. Use it once, in the shell.
 */
export function StatusAnnouncer() {
  const { ledger } = useStores()
  const [text, setText] = useState('')
  const needs = useNeedsYou()
  const known = useRef<ReadonlySet<string> | null>(null)
  const announced = useRef<{ keys: string[]; text: string } | null>(null)
  useEffect(
    () =>
      watchRoots(ledger, (task) =>
        setText(`${statusLabel(willSleep(task) ? 'sleeping' : task.status)}: ${task.title}`),
      ),
    [ledger],
  )
  useEffect(() => {
    const before = known.current
    known.current = new Set(needs.map(({ key }) => key))
    if (before === null) return
    const added = needs.filter(({ key }) => !before.has(key))
    const texts = added.flatMap(({ kind, title }) =>
      kind in needTitles ? [`${needTitles[kind as keyof typeof needTitles]}: ${title}`] : [],
    )
    if (texts.length > 0) {
      announced.current = { keys: added.map(({ key }) => key), text: texts.join('. ') }
      setText(announced.current.text)
    } else if (announced.current?.keys.every((key) => !known.current?.has(key))) {
      // What is read later must not say that something waits which was answered or stopped.
      const { text: over } = announced.current
      announced.current = null
      setText((now) => (now === over ? '' : now))
    }
  }, [needs])
  return (
    <p role="status" aria-label="Agents" className="sr-only">
      {text}
    </p>
  )
}
