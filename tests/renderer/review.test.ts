import { describe, expect, it } from 'vitest'
import { authorsOfChange, turnsOf } from '../../src/renderer/components/review/authors-of-change.ts'
import { changesOfPatch, isApplied } from '../../src/renderer/components/review/changes-of-patch.ts'
import { fileTreeRows } from '../../src/renderer/components/review/file-tree.ts'
import { createViewedFiles, isViewed } from '../../src/renderer/store/review/viewed-files.ts'
import { formatRoute, parseRoute } from '../../src/renderer/store/window/route.ts'
import {
  answerTo,
  placeComment,
  type Reply,
  replyTo,
} from '../../src/renderer/views/review/comments/place-comments.ts'
import { linesOfPatch } from '../../src/renderer/views/review/file/patch-lines.ts'
import { reviewPrompt } from '../../src/shared/agents/review-prompt.ts'
import type { ChangeAuthor } from '../../src/shared/contract/changes/review.ts'
import { newCommentId, newPromptId, newTaskId } from '../../src/shared/records/ids.ts'
import type { ReviewComment } from '../../src/shared/records/review-comments.ts'

const file = (path: string) => ({
  path,
  change: 'modified' as const,
  oldPath: null,
  additions: 1,
  deletions: 0,
  contentId: '1',
})

describe('the tree of changed files', () => {
  it('has folders before files, and folders with one folder in one row', () => {
    const paths = [
      'z10.md',
      'z9.md',
      'src/main/git/a.ts',
      'src/main/b.ts',
      'deep/er/still/c.ts',
      'a.md',
    ]
    const rows = fileTreeRows(paths.map(file)).map(
      (row) => `${'  '.repeat(row.depth)}${row.name}${row.kind === 'folder' ? '/' : ''}`,
    )
    expect(rows).toEqual([
      'deep/er/still/',
      '  c.ts',
      'src/main/',
      '  git/',
      '    a.ts',
      '  b.ts',
      'a.md',
      'z9.md',
      'z10.md',
    ])
  })
})

const patch = `--- a/x.ts
+++ b/x.ts
@@ -1,4 +1,4 @@
 one
-two
+zwei
 three
 four
@@ -20,2 +20,3 @@
 twenty
+zwei
 last
\\ No newline at end of file
`

describe('changes of a file', () => {
  it('are hunks, labelled above where a line is shown there, the same in a whole file', () => {
    const ranges = changesOfPatch(patch)
    expect(ranges).toEqual([
      {
        range: { oldStart: 2, oldLines: 1, newStart: 2, newLines: 1 },
        blocks: 1,
        label: { side: 'additions', line: 1 },
      },
      {
        range: { oldStart: 21, oldLines: 0, newStart: 21, newLines: 1 },
        blocks: 1,
        label: { side: 'additions', line: 20 },
      },
    ])
    const context = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, at) => ` ${from + at}`).join('\n')
    const whole = `--- a/x\n+++ b/x\n@@ -1,20 +1,21 @@\n+zero\n${context(1, 6)}\n-7\n+sieben\n${context(8, 14)}\n-15\n+fünfzehn\n${context(16, 20)}\n`
    expect(changesOfPatch(whole)).toEqual([
      {
        range: { oldStart: 1, oldLines: 7, newStart: 1, newLines: 8 },
        blocks: 2,
        label: null,
      },
      {
        range: { oldStart: 15, oldLines: 1, newStart: 16, newLines: 1 },
        blocks: 1,
        label: { side: 'additions', line: 15 },
      },
    ])
  })

  it('are labelled above the diff of a new file', () => {
    const added = '--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+one\n+two\n'
    expect(changesOfPatch(added)[0]?.label).toBeNull()
  })

  it('are applied when each of their blocks is', () => {
    const [, second] = changesOfPatch(patch)
    if (!second) throw new Error('no change')
    expect(isApplied(second, [])).toBe(false)
    expect(isApplied(second, [{ oldStart: 20, oldLines: 0, newStart: 21, newLines: 1 }])).toBe(true)
    const two = { ...second, blocks: 2 }
    expect(isApplied(two, [{ oldStart: 20, oldLines: 0, newStart: 21, newLines: 1 }])).toBe(false)
  })
})

describe('viewed marks', () => {
  it('hold for the content that was seen, over restarts', () => {
    const kept = new Map<string, string>()
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    }
    const task = newTaskId()
    const viewed = createViewedFiles(storage)
    expect(viewed.toggle(task, { path: 'a.ts', contentId: '1' })).toBe(true)
    const later = createViewedFiles(storage).store.getState()
    expect(isViewed(later, task, { path: 'a.ts', contentId: '1' })).toBe(true)
    expect(isViewed(later, task, { path: 'a.ts', contentId: '2' })).toBe(false)
    expect(viewed.toggle(task, { path: 'a.ts', contentId: '1' })).toBe(false)
    expect(createViewedFiles(storage).store.getState().size).toBe(0)
  })
})

const draft: ReviewComment = {
  id: newCommentId(),
  at: new Date(0).toISOString(),
  tree: null,
  contentId: '1',
  path: 'x.ts',
  side: 'additions',
  line: 2,
  lineText: 'zwei',
  text: 'Why?',
  sent: null,
}
const author = (turn: number, by: ChangeAuthor['by'] = 'call'): ChangeAuthor => ({
  by,
  turn,
  seq: turn * 10,
  at: 0,
  tool: 'bash',
  applied: null,
})

describe('comments on lines', () => {
  it('are placed at the equal line nearest to the old position, if nothing else is known', () => {
    const lines = linesOfPatch(patch)
    expect(lines.map(({ side, line, text }) => `${side[0]}${line} ${text}`)).toEqual([
      'a1 one',
      'd2 two',
      'a2 zwei',
      'a3 three',
      'a4 four',
      'a20 twenty',
      'a21 zwei',
      'a22 last',
    ])
    const at = (side: 'additions' | 'deletions', line: number, lineText: string) => {
      const comment = { ...draft, side, line, lineText }
      const placed = placeComment(comment, { lines, fate: undefined, authors: [] })
      return [placed.line, placed.note]
    }
    expect(at('additions', 2, 'zwei')).toEqual([2, null])
    expect(at('additions', 30, 'zwei')).toEqual([21, 'Was line 30.'])
    expect(at('deletions', 9, 'two')).toEqual([2, 'Was line 9.'])
    expect(at('additions', 2, 'two')).toEqual([null, 'The line is gone.'])
    expect(at('deletions', 2, 'zwei')).toEqual([null, 'The line is no longer removed.'])
    expect(at('additions', 0, '')).toEqual([0, null])
  })

  it('follow their line by the recorded files, and name the turn that changed it', () => {
    const lines = linesOfPatch(patch)
    const authors = [author(4), author(5, 'unknown')]
    const at = (line: number, fate: { line: number | null; author: number | null }) => {
      const comment = { ...draft, line, lineText: 'zwei' }
      const placed = placeComment(comment, { lines, fate, authors })
      return [placed.line, placed.note, placed.changedBy?.turn ?? null]
    }
    expect(at(2, { line: 2, author: null })).toEqual([2, null, null])
    expect(at(2, { line: 21, author: null })).toEqual([21, 'Was line 2.', null])
    expect(at(2, { line: 3, author: 0 })).toEqual([3, 'Was line 2.', 4])
    expect(at(2, { line: 2, author: 1 })).toEqual([2, 'The line was changed.', 5])
    expect(at(2, { line: null, author: 0 })).toEqual([null, 'The line is gone.', 4])
    const hidden = 'Now line 12. The line is not part of the diff.'
    expect(at(2, { line: 12, author: null })).toEqual([null, hidden, null])
    const at5 = {
      promptId: newPromptId(),
      to: newTaskId(),
      afterSeq: 1,
      at: new Date(5).toISOString(),
    }
    const whole = { ...draft, line: 0, sent: at5 }
    const changed = (atMs: number) =>
      placeComment(whole, {
        lines,
        fate: undefined,
        authors: [{ ...author(6), at: atMs }],
      }).changedBy?.turn
    expect([changed(4), changed(6)]).toEqual([undefined, 6])
  })

  it('are answered by the turns before the next prompt, or before the end of the run', () => {
    const turn = (n: number, status: 'complete' | 'interrupted' = 'complete') => ({
      kind: 'turn' as const,
      seq: n * 10,
      at: 0,
      turn: n,
      calls: 0,
      failedCalls: 0,
      status,
      text: '',
    })
    const prompt = (text: string) => ({ kind: 'prompt' as const, seq: 1, at: 0, text })
    const end = (status: 'completed' | 'interrupted') => ({
      kind: 'run-end' as const,
      seq: 99,
      at: 0,
      run: 2,
      status,
    })
    const taskId = newTaskId()
    const reply = (...items: Parameters<typeof replyTo>[2]) =>
      replyTo(taskId, 'Please  fix\nit all', items)
    expect(reply(prompt('Other'), turn(1), end('completed'))).toEqual({ kind: 'waiting' })
    expect(reply(prompt('Please fix it'), turn(1))).toEqual({ kind: 'waiting' })
    const [first, last] = [1, 2].map((n) => ({ turn: n, seq: n * 10 }))
    const answered = { kind: 'turns', taskId, first, last }
    const items = [prompt('Please fix it'), turn(1), turn(2), turn(3, 'interrupted')]
    expect(reply(...items, end('interrupted'))).toEqual({ kind: 'waiting' })
    expect(reply(...items, end('interrupted'), end('completed'))).toEqual(answered)
    expect(reply(...items, prompt('More'), turn(4))).toEqual(answered)
    expect(reply(prompt('Please fix it'), end('completed'))).toEqual({ kind: 'none' })
  })

  it('name the turn of the reply that changed their line, else all turns of the reply', () => {
    const taskId = newTaskId()
    const [first, last] = [3, 6].map((turn) => ({ turn, seq: turn * 10 + 9 }))
    const reply = { kind: 'turns' as const, taskId, first, last } as Reply
    const placed = (changedBy: ChangeAuthor | null) => ({
      comment: draft,
      line: 2,
      note: null,
      changedBy,
      isUnchanged: false,
    })
    const answer = (changedBy: ChangeAuthor | null) => answerTo(placed(changedBy), reply, taskId)
    expect(answer(author(4))).toEqual({ kind: 'turn', taskId, turn: 4, seq: 40 })
    for (const other of [null, author(2), author(7), author(4, 'outside'), author(4, 'unknown')])
      expect(answer(other)).toBe(reply)
    // Its turns are numbered apart.
    const of = { taskId: newTaskId(), title: 'Before' }
    expect(answer({ ...author(4), of })).toBe(reply)
    expect(answerTo(placed(author(4)), reply, newTaskId())).toBe(reply)
    const whole = { ...placed(author(4)), comment: { ...draft, line: 0 } }
    expect(answerTo(whole, reply, taskId)).toBe(reply)
    const waiting = { kind: 'waiting' as const }
    expect(answerTo(placed(author(4)), waiting, taskId)).toBe(waiting)
  })

  it('are sent as one follow-up, each with its place and line', () => {
    const at = { path: 'x.ts', side: 'additions' as const, line: 2, lineText: '  zwei' }
    const drafts = [
      { ...at, text: 'Say it\nin English.' },
      { ...at, side: 'deletions' as const, lineText: 'two', text: 'Why?' },
      { ...at, line: 0, lineText: '', text: 'Split it.' },
    ]
    expect(
      reviewPrompt(drafts),
    ).toBe(`I reviewed your changes. Please address these comments, and say for each what you did:

1. x.ts:2
   > zwei
   Say it
   in English.

2. x.ts:2 (removed)
   > two
   Why?

3. x.ts
   Split it.`)
    expect(reviewPrompt(drafts.slice(2), 'Helping')).toBe(
      'I reviewed the changes of the sub-agent "Helping". Please address this comment, and say for each what you did:\n\n1. x.ts\n   Split it.',
    )
  })
})

it('a review has an address, which names its file', () => {
  const route = { screen: 'review' as const, taskId: 'abcd', path: 'src/a b.ts' }
  expect(parseRoute(formatRoute(route))).toEqual(route)
  expect(parseRoute('#/t/abcd/review')).toEqual({ ...route, path: null })
})

describe('the authors of a change', () => {
  const authors = {
    authors: [author(1), author(2), author(2, 'outside')],
    written: [
      { start: 4, lines: 2, author: 0 },
      { start: 9, lines: 1, author: 2 },
    ],
    removed: [{ start: 4, lines: 1, author: 1 }],
  }
  const of = (oldStart: number, oldLines: number, newStart: number, newLines: number) =>
    authorsOfChange({ oldStart, oldLines, newStart, newLines }, authors).map(
      (found) => `${found.by} ${found.turn}`,
    )

  it('are those of its added and removed lines, otherwise of adjacent lines', () => {
    expect(of(4, 1, 4, 1)).toEqual(['call 1', 'call 2'])
    expect(of(20, 0, 5, 1)).toEqual(['call 1'])
    expect(of(20, 0, 11, 1)).toEqual(['outside 2'])
    expect(of(20, 0, 30, 1)).toEqual([])
  })

  it('are listed once each for a file', () => {
    expect(turnsOf([...authors.authors, author(2, 'turn')])).toEqual([
      { turn: 1, seq: 10 },
      { turn: 2, seq: 20 },
    ])
    const of = { taskId: newTaskId(), title: 'The earlier task' }
    expect(turnsOf([{ ...author(1), of }, author(1)])).toEqual([
      { turn: 1, seq: 10, of },
      { turn: 1, seq: 10 },
    ])
  })
})
