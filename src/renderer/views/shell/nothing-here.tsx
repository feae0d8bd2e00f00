import type { IdLookup } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { EmptyState } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { homeRoute, trashRoute } from '../../store/window/route.ts'

/** Shown for an address that names no screen. */
export function UnknownAddress({ address }: { address: string }) {
  const { navigation } = useStores()
  return (
    <>
      <h1 className="sr-only">Nothing at this address</h1>
      <EmptyState
        sentence={`There is nothing at #/${address}. The link may be incomplete, or from another version of Shiplog.`}
        action={{ label: 'Go to Home', onClick: () => navigation.go(homeRoute) }}
      />
    </>
  )
}

/** Shown for an agent in the trash, or permanently deleted from it: in a link, or because another window deleted it. */
export function Deleted({ task }: { task: Pick<Task, 'title' | 'purged'> }) {
  const { navigation } = useStores()
  return (
    <>
      <h1 className="sr-only">Deleted</h1>
      <EmptyState
        sentence={
          task.purged
            ? `“${task.title}” was permanently deleted.`
            : `“${task.title}” was deleted. It can be restored from the trash.`
        }
        action={
          task.purged
            ? { label: 'Go to Home', onClick: () => navigation.go(homeRoute) }
            : { label: 'Open the trash', onClick: () => navigation.go(trashRoute) }
        }
      />
    </>
  )
}

/** Shown for a link whose id is unknown or ambiguous. `lookup`: its result, which has the candidates of an ambiguous one. */
export function NothingHere(props: { what: string; id: string; lookup?: IdLookup<string> }) {
  const { what, id, lookup } = props
  const candidates = lookup?.kind === 'ambiguous' ? lookup.candidates : []
  const { navigation } = useStores()
  return (
    <>
      <h1 className="sr-only">{candidates.length > 1 ? `Choose a ${what}` : `No such ${what}`}</h1>
      <EmptyState
        sentence={
          candidates.length > 1
            ? `${id} matches several ${what}s. Choose one.`
            : `No ${what} ${id} in this data directory. It may be in another one, or the link is incomplete.`
        }
        action={{
          label: 'Open the archive',
          onClick: () => navigation.go({ screen: 'archive', taskId: null, tab: 'report' }),
        }}
      >
        <ul className="mt-2">
          {candidates.map((candidate) => (
            <li key={candidate}>
              <a
                className="font-mono text-code text-accent hover:underline"
                href={`#/${what === 'project' ? 'p' : 't'}/${candidate}`}
              >
                {candidate}
              </a>
            </li>
          ))}
        </ul>
      </EmptyState>
    </>
  )
}
