import { describe, expect, it } from 'vitest'
import {
  createTranscriptMarkdown,
  type TranscriptEnding,
} from '../../../src/shared/projections/transcript/transcript-markdown.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import { session } from '../../fixtures/entries/builder.ts'
import { ids } from '../../fixtures/entries/tasks.ts'

const id = Object.values(ids)[0] as (typeof ids)[keyof typeof ids]

function transcriptMarkdown(entries: Entry[], ending?: TranscriptEnding): string {
  const markdown = createTranscriptMarkdown()
  return markdown.add(entries) + markdown.end(ending)
}

function wholeSession() {
  return session(id, { cwd: '/home/robin/api' })
    .runStart()
    .prompt('Cover the parser\nwith tests')
    .worktree('/kept/worktrees/api/1', 'shiplog/1')
    .turn([
      { think: 'Look first.' },
      { say: 'I will look.' },
      { call: { name: 'bash', input: { command: 'git status' }, output: 'clean', ms: 1200 } },
    ])
    .branch('feature')
    .turn([
      { call: { name: 'read_file', input: { path: 'a.md' }, output: '```js\nx\n```' } },
      {
        call: {
          name: 'write_file',
          input: { path: 'b' },
          outcome: 'error',
          output: 'no such folder',
        },
      },
    ])
    .unknown('mood', { mood: 'good' })
    .turn([
      {
        call: {
          name: 'agent_report',
          input: { title: 'Done', markdown: '# All good' },
          detail: { kind: 'report', title: 'Done', markdown: '# All good' },
        },
      },
    ])
    .runEnd('completed')
}

describe('a transcript as Markdown', () => {
  it('shows prompt, reasoning, text, calls with input and output, and the report', () => {
    const markdown = transcriptMarkdown(wholeSession().entries)
    const headings = markdown.match(/^## .*/gm)
    expect(headings).toEqual([
      '## Run 1 started',
      '## Prompt',
      '## Worktree entered',
      '## Turn 1',
      '## Turn 2',
      '## Entry of type `mood`',
      '## Turn 3',
      '## Run 1 completed',
    ])
    expect(markdown).toContain('> Cover the parser\n> with tests\n')
    expect(markdown).toContain('*Reasoning*\n\n> Look first.\n\nI will look.\n')
    expect(markdown).toContain(
      '**Tool** `bash git status` · 1.2 s\n\n```sh\ngit status\n```\n\nOutput:\n\n```\nclean\n```\n',
    )
    expect(markdown).toContain('· failed')
    expect(markdown).toContain('> **Done**\n>\n> # All good\n')
    expect(markdown).toContain('"mood": "good"')
  })

  it('shows each seq, and branch and folder only if they change', () => {
    const markdown = transcriptMarkdown(wholeSession().entries)
    expect(markdown).toMatch(/## Prompt\n\n\*seq 2 · 2026-11-21 09:30:\d\dZ · branch `main` · in `/)
    expect(markdown.match(/branch `/g)).toHaveLength(2)
    expect(markdown.match(/branch `feature`/g)).toHaveLength(1)
  })

  it('fences text that contains a fence', () => {
    const markdown = transcriptMarkdown(wholeSession().entries)
    expect(markdown).toContain('````\n```js\nx\n```\n````\n')
  })

  it('shows the turn in progress at its place, once', () => {
    const builder = session(id).runStart().prompt('Go')
    const partial = builder.liveTurn([
      { say: 'Half a sen' },
      { call: { name: 'bash', input: { command: 'sleep 9' }, outcome: 'running' } },
    ])
    const live = transcriptMarkdown(builder.entries, { partial, live: true })
    expect(live).toContain('## Turn 1 (in progress)')
    expect(live.match(/Half a sen/g)).toHaveLength(1)
    expect(live).toContain('still running')
    expect(transcriptMarkdown(builder.entries, { partial })).toContain('## Turn 1 (interrupted)')
  })

  it('does not call a turn interrupted if only the rest was not requested', () => {
    const { entries } = wholeSession()
    const call = entries.findIndex((entry) => entry.type === 'tool-call')
    const start = entries.slice(0, call + 1)
    expect(transcriptMarkdown(start, { cut: true })).toContain('## Turn 1 (continues)')
    expect(transcriptMarkdown(start)).toContain('## Turn 1 (interrupted)')
  })

  it('is the same for pages of any size', () => {
    const { entries } = wholeSession()
    const whole = transcriptMarkdown(entries)
    for (let size = 1; size <= entries.length; size++) {
      const markdown = createTranscriptMarkdown()
      const pages: string[] = []
      for (let from = 0; from < entries.length; from += size) {
        pages.push(markdown.add(entries.slice(from, from + size)))
      }
      expect(pages.join('') + markdown.end()).toBe(whole)
    }
  })

  it('is empty without entries', () => {
    const none: Entry[] = []
    expect(transcriptMarkdown(none)).toBe('')
  })
})
