/** The answers about files as of a moment: from states that are given, without Git. */
import { createTwoFilesPatch, diffLines } from 'diff'
import type {
  DiffBase,
  MissingFiles,
  StatedFiles,
  TurnDiff,
  TurnFile,
  TurnFolder,
} from '../../src/shared/contract/transcripts/turn-files.ts'
import { FailureError } from '../../src/shared/failure.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'
import type { FakeTurnState } from './options.ts'
import { inScope } from './transcripts.ts'

type Asked = Parameters<typeof inScope>[1] & { seq: number }

export function turnFileAnswers(os: Implementer, memory: Memory) {
  const { given, state, sessionOf } = memory

  function open(asked: Asked): { states: FakeTurnState[]; at: number } | MissingFiles {
    const task = inScope(memory, asked)
    if (task.transcriptExpired) return missing('expired', 'The transcript expired with its files.')
    if (state.projects.get(task.projectId)?.git === false)
      return missing('no-git', 'Files are recorded in Git projects only, and this is none.')
    const states = given.turnStates?.[task.id] ?? []
    const at = states.findLastIndex(({ seq }) => seq <= asked.seq)
    return at < 0 ? missing('before', 'No files were recorded up to this moment.') : { states, at }
  }

  const statedOf = (
    asked: Asked,
    { seq, turn = null, notStored = [] }: FakeTurnState,
  ): StatedFiles => {
    const { entries } = sessionOf(inScope(memory, asked).id)
    return { seq, at: entries[seq - 1]?.at ?? 0, turn, failed: null, notStored }
  }

  function folder(asked: Asked & { path: string }): TurnFolder | MissingFiles {
    const found = open(asked)
    if ('reason' in found) return found
    const shown = found.states[found.at] as FakeTurnState
    const below = asked.path === '' ? '' : `${asked.path}/`
    const names = new Map<string, TurnFolder['names'][number]>()
    for (const [path, file] of Object.entries(shown.files)) {
      if (!path.startsWith(below)) continue
      const [name = '', ...rest] = path.slice(below.length).split('/')
      const isFolder = rest.length > 0
      const bytes = isFolder ? null : sizeOf(file)
      names.set(name, { name, kind: isFolder ? 'folder' : 'file', bytes, isExecutable: false })
    }
    if (names.size === 0 && asked.path !== '')
      throw new FailureError({ kind: 'not-found', what: 'folder', id: asked.path })
    const sorted = [...names.values()].sort(
      (a, b) =>
        Number(b.kind === 'folder') - Number(a.kind === 'folder') || (a.name < b.name ? -1 : 1),
    )
    return { kind: 'folder', stated: statedOf(asked, shown), names: sorted, more: 0 }
  }

  function file(asked: Asked & { path: string; as: string }): TurnFile | MissingFiles {
    const found = open(asked)
    if ('reason' in found) return found
    const shown = found.states[found.at] as FakeTurnState
    const known = shown.files[asked.path]
    if (known === undefined)
      throw new FailureError({ kind: 'not-found', what: 'file', id: asked.path })
    const about = { kind: 'file' as const, stated: statedOf(asked, shown), truncated: false }
    if (typeof known !== 'string') return { ...about, ...known }
    const content: TurnFile['content'] =
      asked.as === 'bytes'
        ? { kind: 'bytes', base64: btoa(String.fromCharCode(...new TextEncoder().encode(known))) }
        : { kind: 'text', text: known }
    return { ...about, content, bytes: sizeOf(known) }
  }

  function diff(asked: Asked & { against: DiffBase }): TurnDiff | MissingFiles {
    const found = open(asked)
    if ('reason' in found) return found
    const { states, at } = found
    const shown = states[at] as FakeTurnState
    const other =
      asked.against === 'now' ? states.at(-1) : states[asked.against === 'start' ? 0 : at - 1]
    const about = { kind: 'diff' as const, stated: statedOf(asked, shown), truncated: false }
    if (!other || other === shown)
      return { ...about, files: [], patch: '', other: { kind: 'same' } }
    const [from, to] = asked.against === 'now' ? [shown, other] : [other, shown]
    const paths = [...new Set([...Object.keys(from.files), ...Object.keys(to.files)])].sort()
    const changed = paths.filter((path) => from.files[path] !== to.files[path])
    return {
      ...about,
      files: changed.map((path) => changeOf(path, from.files[path], to.files[path])),
      patch: changed.map((path) => patchOf(path, from.files[path], to.files[path])).join(''),
      other:
        asked.against === 'now'
          ? { kind: 'folder' }
          : { kind: 'entry', seq: other.seq, at: statedOf(asked, other).at },
    }
  }

  return {
    folder: os.turnFiles.folder.handler(({ input }) => folder(input)),
    file: os.turnFiles.file.handler(({ input }) => file(input)),
    diff: os.turnFiles.diff.handler(({ input }) => diff(input)),
  }
}

type FakeFile = FakeTurnState['files'][string] | undefined

const missing = (reason: MissingFiles['reason'], message: string): MissingFiles => ({
  kind: 'missing',
  reason,
  message,
})

const sizeOf = (file: NonNullable<FakeFile>): number | null =>
  typeof file === 'string' ? new TextEncoder().encode(file).length : file.bytes

const textOf = (file: FakeFile): string => (typeof file === 'string' ? file : '')

function changeOf(path: string, from: FakeFile, to: FakeFile): TurnDiff['files'][number] {
  const change = from === undefined ? 'added' : to === undefined ? 'deleted' : 'modified'
  if (typeof (to ?? from) !== 'string')
    return {
      path,
      change,
      oldPath: null,
      additions: null,
      deletions: null,
      contentId: '0'.repeat(40),
    }
  const parts = diffLines(textOf(from), textOf(to))
  const lines = (isCounted: (part: (typeof parts)[number]) => boolean) =>
    parts.filter(isCounted).reduce((sum, { count = 0 }) => sum + count, 0)
  const additions = lines(({ added }) => added === true)
  const deletions = lines(({ removed }) => removed === true)
  return { path, change, oldPath: null, additions, deletions, contentId: '0'.repeat(40) }
}

function patchOf(path: string, from: FakeFile, to: FakeFile): string {
  const [a, b] = [
    from === undefined ? '/dev/null' : `a/${path}`,
    to === undefined ? '/dev/null' : `b/${path}`,
  ]
  const body = createTwoFilesPatch(a, b, textOf(from), textOf(to)).replace(/^=+\n/, '')
  return `diff --git a/${path} b/${path}\n${body}`
}
