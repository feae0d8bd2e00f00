import type { ImportSourceFound } from '../../../shared/contract/imports.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { counted, exactCount } from '../../components/primitives/format.ts'
import { Bytes, RelativeTime, TextButton } from '../../components/primitives/index.ts'
import { dangerText, foundText } from './import-texts.ts'
import { hasNew, keyOf, newIn } from './start-import.ts'

/** The sessions of one tool by project, each with a checkbox. `excluded`: keys of the folders that are not imported. */
export function SourceChoice(props: {
  source: ImportSourceFound
  excluded: ReadonlySet<string>
  onChange(excluded: ReadonlySet<string>): void
}) {
  const { source, excluded, onChange } = props
  const { tool, byProject, imported } = source
  const keys = byProject.filter(hasNew).map(({ dir }) => keyOf(tool, dir))
  const areAll = keys.every((key) => !excluded.has(key))
  const danger = dangerText(source)
  const change = (changed: string[], keep: boolean) => {
    const next = new Set(excluded)
    for (const key of changed) keep ? next.delete(key) : next.add(key)
    onChange(next)
  }
  return (
    <section aria-label={toolName(tool)} className="flex flex-col gap-1">
      <p>
        {foundText(source)}
        {imported > 0 ? ` ${exactCount(imported)} of them are in the archive already.` : ''}
      </p>
      {danger ? <p className="text-amber">{danger}</p> : null}
      <div className="mt-2 flex items-center">
        <h3 className="flex-1 font-semibold">Projects</h3>
        {keys.length > 0 ? (
          <TextButton onClick={() => change(keys, !areAll)}>
            {areAll ? 'Choose none' : 'Choose all'}
          </TextButton>
        ) : null}
      </div>
      <ul className="max-h-72 overflow-auto rounded-md border">
        {byProject.map((project) => (
          <li key={keyOf(tool, project.dir)} className="border-b last:border-b-0">
            <Project
              project={project}
              isChosen={hasNew(project) && !excluded.has(keyOf(tool, project.dir))}
              onChoose={(isChosen) => change([keyOf(tool, project.dir)], isChosen)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Project(props: {
  project: ImportSourceFound['byProject'][number]
  isChosen: boolean
  onChoose(isChosen: boolean): void
}) {
  const { project, isChosen, onChoose } = props
  const { dir, sessions, imported, bytes, lastAt, expiringSoon } = project
  const isNew = hasNew(project)
  return (
    <label
      className={`flex min-h-9 items-center gap-2 px-3 py-1 ${isNew ? '' : 'text-muted'}`}
      title={isNew ? undefined : 'All of its sessions are in the archive.'}
    >
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-[var(--accent-fill)]"
        checked={isChosen}
        disabled={!isNew}
        onChange={(event) => onChoose(event.target.checked)}
      />
      <span
        title={dir === null ? undefined : plainText(dir)}
        className="untrusted min-w-0 flex-1 truncate"
        dir="auto"
      >
        {dir === null ? 'No known folder' : plainText(dir)}
      </span>
      <span className="tabular shrink-0 text-small text-muted">
        {counted(sessions, 'session')}
        {isNew
          ? imported > 0
            ? `, ${exactCount(newIn([project]))} new`
            : null
          : ', in the archive'}
        {expiringSoon > 0 && isNew ? (
          <span className="text-amber">, {exactCount(expiringSoon)} deleted soon</span>
        ) : null}{' '}
        · <Bytes count={bytes} /> · last written <RelativeTime at={lastAt} />
      </span>
    </label>
  )
}
