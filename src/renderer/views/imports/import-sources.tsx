import type { ImportSourceFound } from '../../../shared/contract/imports.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import { exactCount } from '../../components/primitives/format.ts'
import { TextButton } from '../../components/primitives/index.ts'
import { hasNew, keyOf, type LeftOut, withFolders } from './import-choices.ts'
import { ImportFolder } from './import-folder.tsx'
import { dangerText, foundText } from './import-texts.ts'

/** The sessions of one tool by project, each with a checkbox. */
export function SourceChoice(props: {
  source: ImportSourceFound
  leftOut: LeftOut
  onChange(leftOut: LeftOut): void
}) {
  const { source, leftOut, onChange } = props
  const { tool, byProject, imported } = source
  const keys = byProject.filter(hasNew).map(({ dir }) => keyOf(tool, dir))
  const areAll = keys.every((key) => !leftOut.folders.has(key) && !leftOut.sessions.has(key))
  const danger = dangerText(source)
  const isKept = keys.length === 0
  return (
    <section aria-label={toolName(tool)} className="flex flex-col gap-1">
      <p>
        {foundText(source)}
        {imported > 0 ? ` ${importedText(imported, isKept)}` : ''}
      </p>
      {danger ? <p className={isKept ? 'text-muted' : 'text-amber'}>{danger}</p> : null}
      <div className="mt-2 flex items-center">
        <h3 className="flex-1 font-semibold">Projects</h3>
        {isKept ? null : (
          <TextButton onClick={() => onChange(withFolders(leftOut, keys, !areAll))}>
            {areAll ? 'Choose none' : 'Choose all'}
          </TextButton>
        )}
      </div>
      <ul className="max-h-72 overflow-auto rounded-md border">
        {byProject.map((project) => (
          <li key={keyOf(tool, project.dir)} className="border-b last:border-b-0">
            <ImportFolder tool={tool} project={project} leftOut={leftOut} onChange={onChange} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const importedText = (imported: number, isAll: boolean): string =>
  isAll
    ? `${imported === 1 ? 'It is' : 'All of them are'} in the archive already.`
    : `${exactCount(imported)} of them ${imported === 1 ? 'is' : 'are'} in the archive already.`
