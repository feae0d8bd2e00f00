/** What is done to words and numbers before they are shown. */
import { describe, expect, it } from 'vitest'
import {
  bytes,
  duration,
  elapsed,
  relativeTime,
  roundedCount,
} from '../../src/renderer/components/primitives/format.ts'
import { timeAtWork } from '../../src/renderer/components/task/task-elapsed.tsx'
import { evenHeadings } from '../../src/renderer/components/text/even-headings.ts'
import { languageOf } from '../../src/renderer/components/text/highlight-languages.ts'
import { traitsOf } from '../../src/shared/agents/tool-traits.ts'
import { toolNames } from '../../src/shared/agents/tools.ts'
import { callGroupLabel, toolLabel } from '../../src/shared/projections/tool-calls/tool-labels.ts'
import type { ToolCallView } from '../../src/shared/projections/transcript/turn-blocks.ts'
import { plainText } from '../../src/shared/text/plain-text.ts'
import { styledTerminalText } from '../../src/shared/text/terminal-text.ts'
import { callId } from '../fixtures/entries/ids.ts'

const call = (fields: Partial<ToolCallView>): ToolCallView => ({
  callId: callId('one'),
  name: 'bash',
  input: {},
  state: 'ok',
  output: '',
  images: [],
  seq: 1,
  resultSeq: 2,
  title: null,
  detail: null,
  durationMs: 3,
  startedAt: null,
  permission: null,
  ...fields,
})

describe('plainText', () => {
  it('[V4] removes colours of a terminal, and shows text that a title sequence would hide', () => {
    expect(plainText('\u001B[1;31mred\u001B[0m \u001B]0;title\u0007end')).toBe('red ␛]0;title␇end')
  })
  it('shows the last state of a line that was written over', () => {
    expect(plainText('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n')
    expect(plainText('50%\r100%\r\nkept\r\r\n')).toBe('100%\nkept\n')
  })
  it('shows what remains after a line was erased', () => {
    expect(plainText('working\r\u001B[Kdone\nworking\u001B[2K\rdone')).toBe('done\ndone')
    expect(plainText('all of it\u001B[K\ngone\u001B[2K\r\n')).toBe('all of it\n\n')
  })
  it('keeps colours that were set before a line was written over', () => {
    expect(styledTerminalText('\u001B[32m1\r2\u001B[0m\r3\u001B[?25l')).toBe('\u001B[32m\u001B[0m3')
  })
  it('makes invisible characters visible', () => {
    expect(plainText('a\u0000b\u007Fc\u202Ed')).toBe('a\u2400b\u2421c<U+202E>d')
  })
  it('leaves tabs, new lines and every language as they are', () => {
    expect(plainText('a\tb\n你好 שלום')).toBe('a\tb\n你好 שלום')
  })
})

describe('toolLabel', () => {
  it('states what runs, what ran and what failed', () => {
    const input = { path: 'a.ts' }
    expect(toolLabel(call({ name: 'edit_file', input, state: 'running' })).verb).toBe('Editing')
    expect(toolLabel(call({ name: 'edit_file', input })).verb).toBe('Edited')
    expect(toolLabel(call({ name: 'edit_file', input, state: 'error' })).verb).toBe('Couldn’t edit')
  })
  it('[S3] states that an outcome is unknown, or is not loaded', () => {
    expect(toolLabel(call({ state: 'unknown' })).result).toBe('outcome unknown')
    expect(toolLabel(call({ state: 'not-loaded', input: null })).result).toBe('not loaded')
  })
  it('keeps the object on one line for any input', () => {
    const command = `echo one\necho ${'x'.repeat(2_000)}`
    const { object } = toolLabel(call({ input: { command } }))
    expect(object).not.toContain('\n')
    expect(object.length).toBeLessThan(310)
    for (const input of [null, 4, 'text', [1], { command: 7 }])
      expect(toolLabel(call({ input })).object).toBe('')
    expect(toolLabel(call({ name: 'constructor', input: null })).object).toBe('constructor')
  })
  it('shows paths below the working directory without it, and commands as they are', () => {
    const path = (given: string) =>
      toolLabel(call({ name: 'read_file', input: { path: given } }), '/code/app').object
    expect(path('/code/app/src/a.ts')).toBe('src/a.ts')
    expect(path('/code/apples/a.ts')).toBe('/code/apples/a.ts')
    const command = '/code/app/run.sh'
    expect(toolLabel(call({ input: { command } }), '/code/app').object).toBe(command)
  })
  it('does not state that a call was tried which was refused or not allowed in time', () => {
    const notRun = (name: string, fields: Partial<ToolCallView> = {}) =>
      toolLabel(call({ name, state: 'error', detail: { kind: 'not-run' }, ...fields }))
    expect(notRun('write_file')).toMatchObject({ verb: 'Didn’t write', result: 'not tried' })
    expect(notRun('bash').verb).toBe('Didn’t run')
    expect(notRun('their_tool').verb).toBe('Didn’t run')
    const permission = { optionId: null, allowed: false, by: 'person' } as const
    expect(notRun('bash', { permission }).result).toBeNull()
    const failed = { state: 'error', output: 'Not run: 2 of 5 suites.' } as const
    expect(toolLabel(call({ name: 'their_tool', ...failed })).verb).toBe('Ran')
    expect(toolLabel(call({ name: 'bash', ...failed }))).toMatchObject({
      verb: 'Ran',
      result: null,
    })
  })
  it('counts no lines of an image', () => {
    const detail = { kind: 'read', path: 'a.png', lines: 0, truncated: false } as const
    const image = { sha256: 'a'.repeat(64), mediaType: 'image/png', bytes: 9 } as const
    const read = { name: 'read_file', input: { path: 'a.png' }, detail }
    expect(toolLabel(call({ ...read, images: [image] })).result).toBeNull()
    expect(toolLabel(call(read)).result).toBe('0 lines')
  })
  it('states the user’s answer to a question', () => {
    const asked = (fields: Partial<ToolCallView>) =>
      toolLabel(call({ name: 'ask_person', input: { question: 'Both?' }, ...fields })).result
    expect(toolLabel(call({ name: 'ask_person', input: { question: '**Both**?' } })).object).toBe(
      'Both?',
    )
    expect(asked({ detail: { kind: 'answer', text: 'Yes,\nboth' } })).toBe('“Yes, both”')
    expect(asked({ detail: { kind: 'answer', text: null } })).toBe('left to the agent')
    expect(asked({ output: 'The user answers: No' })).toBeNull()
    expect(asked({ state: 'running', output: null })).toBeNull()
  })
  it('states a conflict as a conflict', () => {
    const outcome = { kind: 'conflict' as const, paths: ['a'], message: 'both changed a' }
    const taskId = '00000000-0000-4000-8000-000000000001' as never
    const words = toolLabel(
      call({
        name: 'task_apply_patch',
        input: { task: 'Tests' },
        detail: { kind: 'apply', taskId, title: 'Tests', outcome },
      }),
    )
    expect(words).toMatchObject({
      verb: 'Tried to apply',
      object: 'changes of Tests',
      result: 'conflict, nothing was changed',
    })
  })
  it('counts a group', () => {
    const group = ['read_file', 'read_file', 'search_files'].map((name) => call({ name }))
    expect(callGroupLabel(group)).toBe('Read 2 files, searched')
    const readOnly = toolNames.filter((name) => traitsOf(name)?.isReadOnly)
    for (const name of readOnly)
      expect(callGroupLabel([call({ name }), call({ name })]), name).not.toBe('')
    const all = callGroupLabel(readOnly.map((name) => call({ name })))
    expect(all.split(', ')).toHaveLength(readOnly.length)
    const record = ['read_report', 'search_record', 'read_report'].map((name) => call({ name }))
    expect(callGroupLabel(record)).toBe('Searched the record, read 2 reports')
  })
})

describe('numbers and times', () => {
  const now = Date.UTC(2026, 10, 21, 12)
  const ago = (ms: number) => relativeTime(new Date(now - ms).toISOString(), now)

  it('says how long ago', () => {
    expect([0, 12_000, 300_000, 7_200_000, 172_800_000].map(ago)).toEqual([
      'just now',
      '12s ago',
      '5m ago',
      '2h ago',
      '2d ago',
    ])
    expect(ago(-60_000)).toBe('just now')
    expect(ago(30 * 86_400_000)).toBe('Oct 22')
    expect(ago(400 * 86_400_000)).toBe('Oct 17, 2025')
    expect(relativeTime('nonsense', now)).toBe('unknown time')
  })
  it('says how long', () => {
    expect([40, 1_440, 12_400, 188_000].map(duration)).toEqual(['40ms', '1.4s', '12s', '3m 8s'])
    expect([-5, 900, 4_999, 72_000, 3_700_000].map((ms) => elapsed(ms))).toEqual([
      '<1s',
      '<1s',
      '4s',
      '1m 12s',
      '1h 1m',
    ])
    expect([900, 4_999].map((ms) => elapsed(ms, true))).toEqual(['0s', '4s'])
  })
  it('rounds', () => {
    expect([940, 12_345, 1_200_000].map(roundedCount)).toEqual(['940', '12.3K', '1.2M'])
    expect([312, 38_220].map(bytes)).toEqual(['312 B', '38.2 kB'])
  })
  it('sums the durations of runs, without the time between them', () => {
    const at = (second: number) => new Date(now + second * 1_000).toISOString()
    const runs = [
      { run: 1, status: 'completed' as const, startedAt: at(0), endedAt: at(10), cause: null },
      { run: 2, status: 'running' as const, startedAt: at(100), endedAt: null, cause: null },
    ]
    expect(timeAtWork(runs, now + 105_000)).toBe(15_000)
    expect(timeAtWork(runs, null)).toBe(10_000)
  })
})

describe('Markdown', () => {
  it('starts headings at the first level and skips none', () => {
    const heading = (depth: number) => ({ type: 'heading', depth })
    const tree = {
      type: 'root',
      children: [
        heading(3),
        heading(6),
        { type: 'blockquote', children: [heading(4)] },
        heading(3),
      ],
    }
    evenHeadings()(tree)
    expect(JSON.stringify(tree).match(/"depth":\d/g)).toEqual([
      '"depth":1',
      '"depth":2',
      '"depth":2',
      '"depth":1',
    ])
  })
  it('highlights code of a known language and limited length', () => {
    expect(languageOf('TS', 'let a')).toBe('typescript')
    expect(languageOf('constructor', 'x')).toBeNull()
    expect(languageOf('ts', 'x'.repeat(60_001))).toBeNull()
    expect(languageOf(null, 'x')).toBeNull()
  })
})
