/** A JSON value as a tree that unfolds, or as text. */
import { type KeyboardEvent, useContext, useId, useMemo } from 'react'
import { JsonView } from 'react-json-view-lite'
import { visibleJson } from '../../../../shared/text/shown-text.ts'
import { CopyButton, TextButton } from '../../primitives/index.ts'
import { shownJson, sizeOfJson } from '../../text/shown-json.ts'
import { FoldContext, useFold } from '../fold-state.ts'
import { Caption } from './caption.tsx'
import { LongText } from './long-text.tsx'

/** Smaller values are shown unfolded: a whole tree, or a part of a larger one. */
const unfoldedTreeMax = 40
const unfoldedPartMax = 12

/** `FOLD:text` is the fold of its text; a match of a search opens that, as its place in the tree is not known. */
export function JsonValue(props: {
  value: unknown
  label: string
  captioned?: boolean
  foldKey?: string
}) {
  const { value, label, captioned = false } = props
  const ownKey = useId()
  const foldKey = props.foldKey ?? ownKey
  const [asText, toggleText] = useFold(textKey(foldKey))
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? '', [value])
  const isTree = typeof value === 'object' && value !== null && sizeOfJson(value, 2) > 1
  if (!isTree) return <LongText captioned={captioned} label={label} text={text} foldKey={foldKey} />
  return (
    <div className="group/json">
      {captioned ? <Caption label={label} /> : null}
      <div className="relative">
        {asText ? (
          <LongText label={label} text={visibleJson(text)} language="json" foldKey={foldKey} />
        ) : (
          <Tree value={value} label={label} foldKey={foldKey} />
        )}
        <div
          data-aside
          className="absolute top-1 right-1 flex items-center rounded-md bg-sunken pl-2 text-small opacity-0 group-hover/json:opacity-100 focus-within:opacity-100"
        >
          <TextButton aria-label={`${label} as ${asText ? 'a tree' : 'text'}`} onClick={toggleText}>
            {asText ? 'Tree' : 'Text'}
          </TextButton>
          <CopyButton label={`Copy ${label.toLowerCase()}`} text={text} />
        </div>
      </div>
    </div>
  )
}

export const textKey = (foldKey: string): string => `${foldKey}:text`

function Tree({ value, label, foldKey }: { value: unknown; label: string; foldKey: string }) {
  const folds = useContext(FoldContext)
  const { data, shouldExpand, onExpand } = useMemo(() => {
    const shown = shownJson(value) as object
    const paths = pathsIn(shown)
    const unfoldedMax =
      sizeOfJson(shown, unfoldedTreeMax) < unfoldedTreeMax ? unfoldedTreeMax : unfoldedPartMax
    const keyOf = (node: unknown) => `${foldKey}:at:${paths.get(node as object) ?? ''}`
    return {
      data: shown,
      shouldExpand: (level: number, node: unknown) =>
        folds.isOpen(keyOf(node)) ?? (level === 0 || sizeOfJson(node, unfoldedMax) < unfoldedMax),
      onExpand: ({ value: node, newExpandValue }: { value: unknown; newExpandValue: boolean }) => {
        folds.toggle(keyOf(node), newExpandValue)
        return true
      },
    }
  }, [value, folds, foldKey])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys that the buttons of the tree do not
    <div onKeyDown={pressButton} className="rounded-md border bg-sunken px-3 py-2">
      <JsonView
        aria-label={label}
        data={data}
        clickToExpandNode
        shouldExpandNode={shouldExpand}
        beforeExpandChange={onExpand}
        style={look}
      />
    </div>
  )
}

/** The tree's buttons are not `button` elements, so keys do not press them. */
function pressButton(event: KeyboardEvent<HTMLElement>): void {
  const { target, key } = event
  if (!(target instanceof HTMLElement) || target.role !== 'button') return
  if (key !== 'Enter' && key !== ' ') return
  event.preventDefault()
  event.stopPropagation()
  target.click()
}

/** By identity, because the tree names a node by its value. */
function pathsIn(root: object): WeakMap<object, string> {
  const paths = new WeakMap<object, string>()
  const visit = (node: object, path: string) => {
    paths.set(node, path)
    for (const [name, value] of Object.entries(node))
      if (typeof value === 'object' && value !== null) visit(value, `${path}/${name}`)
  }
  visit(root, '')
  return paths
}

const expander =
  'mr-1 inline-block w-3 text-center text-faint select-none hover:text-ink rounded-sm'
const look = {
  container: 'font-mono text-code wrap-anywhere whitespace-pre-wrap',
  basicChildStyle: 'pl-4 has-[>[role=button]]:pl-0',
  childFieldsContainer: 'ml-1.5 border-l pl-2.5',
  label: 'mr-1.5 text-[var(--code-token-function)]',
  clickableLabel: 'mr-1.5 text-[var(--code-token-function)]',
  nullValue: 'text-faint',
  undefinedValue: 'text-faint',
  numberValue: 'text-[var(--code-token-constant)]',
  stringValue: 'text-[var(--code-token-string)]',
  booleanValue: 'text-[var(--code-token-keyword)]',
  otherValue: '',
  punctuation: 'text-muted',
  expandIcon: `${expander} before:content-['▸']`,
  collapseIcon: `${expander} before:content-['▾']`,
  collapsedContent: "text-muted after:content-['…']",
  noQuotesForStringValues: false,
  quotesForFieldNames: false,
  stringifyStringValues: false,
  ariaLables: { collapseJson: 'Fold', expandJson: 'Unfold' },
}
