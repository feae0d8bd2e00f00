import { Star, X } from 'lucide-react'
import { IconButton, TextButton } from '../../components/primitives/index.ts'
import { usePreference, useStores } from '../../store/hooks.ts'
import { toggled } from '../../store/window/preferences.ts'

/** Shown before anything is typed: saved and recent searches, and examples. */
export function SearchStart({ onTry }: { onTry(query: string): void }) {
  const { preferences } = useStores()
  const saved = usePreference('savedSearches')
  const recent = usePreference('recentSearches').filter((query) => !saved.includes(query))
  return (
    <>
      <Queries
        label="Saved searches"
        queries={saved}
        removeLabel="Remove from saved searches"
        onTry={onTry}
        onRemove={(query) => preferences.setState({ savedSearches: toggled(saved, query) })}
      />
      <Queries
        label="Recent searches"
        queries={recent}
        removeLabel="Forget this search"
        onTry={onTry}
        onRemove={(query) =>
          preferences.setState(({ recentSearches }) => ({
            recentSearches: toggled(recentSearches, query),
          }))
        }
      />
      <Examples onTry={onTry} />
    </>
  )
}

/** Saves the query of the field, or removes it from the saved searches. */
export function SaveSearch({ query }: { query: string }) {
  const { preferences } = useStores()
  const saved = usePreference('savedSearches')
  const isSaved = saved.includes(query)
  return (
    <IconButton
      size="small"
      label={isSaved ? 'Remove from saved searches' : 'Save this search'}
      icon={<Star className={isSaved ? 'fill-current' : undefined} />}
      pressed={isSaved}
      onClick={() => preferences.setState({ savedSearches: toggled(saved, query).toSorted() })}
    />
  )
}

function Queries(props: {
  label: string
  queries: string[]
  removeLabel: string
  onTry(query: string): void
  onRemove(query: string): void
}) {
  const { label, queries, removeLabel, onTry, onRemove } = props
  if (queries.length === 0) return null
  return (
    <section aria-label={label} className="px-2 pt-2 pb-2">
      <h2 className="text-muted">{label}</h2>
      <ul className="mt-1 flex flex-col">
        {queries.map((query) => (
          <li key={query} className="group/query flex min-w-0 items-center gap-1">
            <TextButton
              onClick={() => onTry(query)}
              className="untrusted min-w-0 truncate font-mono text-code"
            >
              {query}
            </TextButton>
            <IconButton
              size="small"
              label={`${removeLabel}: ${query}`}
              icon={<X />}
              onClick={() => onRemove(query)}
              className="opacity-0 group-focus-within/query:opacity-100 group-hover/query:opacity-100"
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

const examples: { query: string; finds: string }[] = [
  { query: '"exact phrase"', finds: 'exactly these words, in this order' },
  { query: 'timeout OR deadlock', finds: 'either of two words or phrases' },
  { query: 'tool:bash is:error', finds: 'commands that failed' },
  { query: 'file:src/main.ts', finds: 'what was done to a file' },
  { query: 'kind:report after:7d', finds: 'reports of the last seven days' },
  {
    query: 'source:codex',
    finds: 'what was imported from a tool; source:here finds what was recorded here',
  },
  { query: 'project:api agent:tester -draft', finds: 'one project and one agent, without a word' },
]

function Examples({ onTry }: { onTry(query: string): void }) {
  return (
    <div className="px-2 pt-2">
      <p className="text-muted">
        Each word also matches parts of words. Filters narrow the search:
      </p>
      <dl className="mt-2 grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
        {examples.map(({ query, finds }) => (
          <div key={query} className="contents">
            <dt>
              <TextButton onClick={() => onTry(query)} className="font-mono text-code">
                {query}
              </TextButton>
            </dt>
            <dd className="text-muted">{finds}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
