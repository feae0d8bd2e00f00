import { describe, expect, it } from 'vitest'
import { foldEntries } from '../../src/shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../src/shared/projections/transcript/transcript-fold.ts'
import { claudeLog } from './claude-code-log.ts'
import { readLog, session } from './read-claude-log.ts'
import { messagesOf as messages, typesOf } from './read-session.ts'

describe('branches', () => {
  it('[I5] folds what a user went back from, at its fork point', async () => {
    const log = claudeLog(session)
    log.prompt('One')
    const fork = log.says('m1', 'First answer.')
    log.prompt('Two, badly put')
    log.says('m2', 'Wrong way.')
    log.goTo(fork)
    log.prompt('Two, better')
    log.says('m3', 'Right way.')
    const entries = (await readLog(log.text())).entriesOf('')
    expect(typesOf(entries)).toEqual([
      'run-start',
      'message',
      'message',
      'fork-start',
      'message',
      'message',
      'fork-end',
      'message',
      'message',
      'run-end',
    ])
    const answer = entries[2]
    expect(entries[3]?.parentUuid).toBe(answer?.uuid)
    expect(entries[7]?.parentUuid).toBe(answer?.uuid)
    expect(messages(entries.slice(3, 7))).toEqual(['user: Two, badly put', 'assistant: Wrong way.'])
  })

  it('[I5] folds a branch whose answer is written before its prompt', async () => {
    const log = claudeLog(session)
    log.prompt('One')
    const fork = log.says('m1', 'First answer.')
    log.prompt('Two, badly put')
    log.says('m2', 'Wrong way.')
    log.lines.push(...log.lines.splice(2, 1))
    log.goTo(fork)
    log.prompt('Two, better')
    log.says('m3', 'Right way.')
    const entries = (await readLog(log.text())).entriesOf('')
    const types = typesOf(entries)
    const branch = entries.slice(types.indexOf('fork-start'), types.lastIndexOf('fork-end'))
    expect(messages(branch).toSorted()).toEqual(['assistant: Wrong way.', 'user: Two, badly put'])
  })

  it('[I5] keeps parallel calls in their turn, although each result follows its own record', async () => {
    const log = claudeLog(session)
    log.prompt('Look at both')
    const first = log.calls('m1', 'c1', 'Read', { file_path: 'a' })
    const progress = log.add('progress', { data: { type: 'hook_progress' } })
    const second = log.calls('m1', 'c2', 'Read', { file_path: 'b' })
    log.goTo(first)
    log.returns('c1', 'A')
    log.goTo(second)
    log.add('progress', { data: { type: 'hook_progress' } })
    log.goTo(progress)
    log.returns('c2', 'B')
    log.says('m2', 'Both read.')
    const entries = (await readLog(log.text())).entriesOf('')
    expect(typesOf(entries)).not.toContain('fork-start')
    const { items } = foldEntries(emptyTranscript(), entries)
    expect(items.find((item) => item.kind === 'turn')).toMatchObject({
      blocks: [
        { kind: 'tool', call: { callId: 'c1', state: 'ok', output: 'A' } },
        { kind: 'tool', call: { callId: 'c2', state: 'ok', output: 'B' } },
      ],
    })
  })

  it('reads several roots, missing parents, cycles and times that run backwards in the order of the file', async () => {
    const log = claudeLog(session)
    log.prompt('First root')
    log.goTo('99999999-0000-4000-8000-000000000000')
    log.prompt('A parent that is not there', { timestamp: '2020-01-01T00:00:00.000Z' })
    log.goTo(null)
    log.prompt('Another root')
    log.add('user', {
      uuid: 'aaaaaaaa-0000-4000-8000-000000000000',
      message: { content: 'A cycle' },
      parentUuid: 'bbbbbbbb-0000-4000-8000-000000000000',
    })
    log.add('user', {
      uuid: 'bbbbbbbb-0000-4000-8000-000000000000',
      message: { content: 'and back' },
      parentUuid: 'aaaaaaaa-0000-4000-8000-000000000000',
    })
    expect(messages((await readLog(log.text())).entriesOf(''))).toEqual([
      'user: First root',
      'user: A parent that is not there',
      'user: Another root',
      'user: A cycle',
      'user: and back',
    ])
  })

  it('records the directory and the branch of each message, and edits where they were made', async () => {
    const log = claudeLog(session)
    log.prompt('Fix both')
    log.calls('m1', 'c1', 'Write', { file_path: 'a.ts', content: 'a' }, { cwd: '/code/app/web' })
    log.returns('c1', 'ok', {
      cwd: '/code/app/web',
      toolUseResult: { type: 'create', filePath: 'a.ts', content: 'a', structuredPatch: [] },
    })
    log.says('m2', 'On a branch now.', { cwd: '/code/other', gitBranch: 'fix' })
    log.prompt('Go on', { cwd: '/code/other', gitBranch: 'fix' })
    const { tasks, entriesOf } = await readLog(log.text())
    expect(
      entriesOf('').flatMap((entry) =>
        entry.type === 'message' ? [[entry.cwd, entry.gitBranch]] : [],
      ),
    ).toEqual([
      ['/code/app', 'main'],
      ['/code/app/web', 'main'],
      ['/code/other', 'fix'],
      ['/code/other', 'fix'],
    ])
    expect(tasks).toMatchObject([
      { cwd: '/code/app', branch: 'fix', edited: [{ path: '/code/app/web/a.ts' }] },
    ])
  })

  it('[I3] keeps a record that is repeated, and a result without its call, verbatim', async () => {
    const log = claudeLog(session)
    log.prompt('Once')
    log.raw(log.lines[0] ?? '')
    log.returns('never-called', 'Of no call')
    const one = await readLog(log.text())
    expect(one.tasks[0]?.counts).toMatchObject({ lines: 3, mapped: 1, foreign: 2 })
    expect(messages(one.entriesOf(''))).toEqual(['user: Once'])
  })
})
