import type { ImportSourceFound } from '../../../shared/contract/imports.ts'
import { Button, toast } from '../../components/primitives/index.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { choicesOf } from './import-choices.ts'
import { dangerText, foundText } from './import-texts.ts'
import { startImport } from './start-import.ts'

/** In an empty app: sessions of other tools on this machine, and how to keep them. */
export function FoundSessions(props: { found: ImportSourceFound[]; isRunning: boolean }) {
  const { found, isRunning } = props
  const { imports, overlay, preferences } = useStores()
  const unreachable = useUnreachable()
  const common = { disabled: unreachable !== undefined, title: unreachable }
  const decline = () => {
    preferences.setState({ importDeclined: true })
    toast.success('You can import them later, in Settings.')
  }
  const show = () => overlay.show({ kind: 'import' })
  return (
    <section
      aria-label="Sessions on this machine"
      className="flex flex-col gap-2 rounded-md border p-3"
    >
      <h2 className="font-semibold">Sessions on this machine</h2>
      {found.map((source) => (
        <p key={source.tool} className="text-muted">
          {foundText(source)} <span className="text-ink">{dangerText(source)}</span>
        </p>
      ))}
      <p className="text-small text-muted">
        Imported into the archive, they can be read, searched and continued. Nothing leaves this
        machine.
      </p>
      <div className="flex flex-wrap gap-2">
        {isRunning ? (
          <Button onClick={show}>Show the import</Button>
        ) : (
          <>
            <Button
              {...common}
              variant="primary"
              onClick={() => {
                show()
                void startImport({ imports, overlay }, choicesOf(found))
              }}
            >
              Keep all
            </Button>
            <Button {...common} onClick={show}>
              Choose…
            </Button>
            <Button onClick={decline}>Not now</Button>
          </>
        )}
      </div>
    </section>
  )
}
