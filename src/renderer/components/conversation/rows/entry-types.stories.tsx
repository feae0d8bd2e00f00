/** A row for every entry type, call state and note. A new one does not compile without its row here. */
import type { Decorator, Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn, userEvent, within } from 'storybook/test'
import { lookupOf } from '../../../../../storybook/task-lookup.ts'
import { everyEntry } from '../../../../../tests/fixtures/entries/every-entry.ts'
import { laterState } from '../../../../../tests/fixtures/entries/tasks.ts'
import type { OutlineItem } from '../../../../shared/contract/transcripts/transcripts.ts'
import { foldEntries } from '../../../../shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../../../shared/projections/transcript/transcript-fold.ts'
import type {
  NoteSubject,
  TranscriptItem,
} from '../../../../shared/projections/transcript/transcript-items.ts'
import type { ToolCallView } from '../../../../shared/projections/transcript/turn-blocks.ts'
import type { EntryType } from '../../../../shared/records/entries.ts'
import { TranscriptList } from '../list/transcript-list.tsx'
import { TaskActionsContext, TaskLookupContext } from '../task-lookup.ts'

/** The accessible names of the fixture's rows; null with a reason: the entry has no row of its own. */
const ofEntries: Record<EntryType, RegExp | null> = {
  message: /^Prompt: Fix the parser/,
  'tool-call': /^Ran npm test, failed/,
  'tool-result': /^Edited src\/a\.ts/,
  // The header of the transcript.
  title: null,
  'worktree-state': /^Works in /,
  // Diffs, attribution, replay and drift read these three.
  'file-history-snapshot': null,
  'attribution-snapshot': null,
  'workspace-snapshot': null,
  'snapshot-failed': /^The files could not be recorded/,
  'pr-link': /^Pull request https:/,
  'run-start': /^Run 2 started|^Run 3 started/,
  'run-end': /^Run 1 was interrupted/,
  resume: /^Resumed at /,
  summary: /^Summary: The parser is fixed/,
  'set-up': /^Set up with npm ci/,
  'agent-session': /^Session session-7 of gemini/,
  permission: /^Allowed by a rule .*npm publish/,
  plan: /^Plan: 1 of 3 done/,
  compaction: /^Context compacted/,
  retrying: /^Attempt failed: .*529 overloaded\. Tried again\.$/,
  foreign: /^Entry of claude-code/,
  'fork-start': /^Abandoned branch of the conversation begins/,
  'fork-end': /^Abandoned branch ends/,
  unknown: /^Entry of unknown type telemetry/,
}

const ofNotes: Record<NoteSubject, RegExp> = {
  message: /^Shiplog told the agent: 2 sub-agents/,
  withheld: /^Withheld from the agents: OPENAI_API_KEY/,
  sandbox: /^Commands may write only in the worktree/,
  'set-up': /^Set up with npm ci/,
  'set-up-skipped': /^Set-up was not run: /,
  permission: /^Allowed by a rule/,
  'agent-session': /^Session session-7/,
  'agent-notice': /^A newer version is available/,
  'agent-warning': /^MCP server a failed to start/,
  'snapshot-failed': /^The files could not be recorded/,
}

type TurnStatus = Extract<TranscriptItem, { kind: 'turn' }>['status']
const ofTurns: Record<TurnStatus, RegExp> = {
  complete: /^I read the \*\*tokenizer\*\* first/,
  interrupted: /^Turn interrupted/,
  superseded: /^Attempt failed: .*connection was reset/,
  live: /^Working/,
}

/** `running` and `not-loaded` are those of a transcript that is read while it grows: see `Outputs` and `RunningCommand`. */
const ofCalls: Record<Exclude<ToolCallView['state'], 'running' | 'not-loaded'>, RegExp> = {
  ok: /^Edited src\/a\.ts/,
  error: /^Ran npm test, failed/,
  unknown: /^Ran sleep 45/,
}

const items = (): TranscriptItem[] => {
  const folded = foldEntries(emptyTranscript(), everyEntry()).items
  const turn = folded.findLast((item) => item.kind === 'turn')
  if (turn?.kind !== 'turn') throw new Error('The fixture has no turn.')
  const live = { ...turn, key: 'live', seq: 999, turn: 99, status: 'live' as const, blocks: [] }
  return [...folded, live]
}

const outline: OutlineItem[] = [
  { kind: 'prompt', seq: 8, at: 0, text: 'Fix the parser: it drops escapes.' },
  ...[10, 11, 13].map((seq, index) => ({
    kind: 'turn' as const,
    seq,
    at: 0,
    turn: index + 1,
    calls: index,
    failedCalls: 0,
    status: 'complete' as const,
    text: `I read part ${index + 1}.`,
  })),
]
const onGoToEntry = fn()

/** All rows are rendered, as on a very high screen. */
const onHighScreen: Decorator = (Story) => (
  <div style={{ display: 'flex', flexDirection: 'column', height: 2400, minHeight: 0 }}>
    <Story />
  </div>
)

const meta: Meta<typeof TranscriptList> = {
  title: 'Conversation/Every entry',
  component: TranscriptList,
  decorators: [
    (Story) => (
      <TaskActionsContext
        value={{
          onGoToEntry,
          readOutline: async (fromSeq) => ({
            items: outline.filter(({ seq }) => seq >= fromSeq).slice(0, 2),
            nextSeq: fromSeq > 10 ? null : 11,
          }),
        }}
      >
        <TaskLookupContext value={lookupOf(laterState)}>
          <Story />
        </TaskLookupContext>
      </TaskActionsContext>
    ),
    onHighScreen,
  ],
  args: { label: 'Transcript of Fix the parser', items: items(), startAt: 'start' },
}
export default meta
type Story = StoryObj<typeof TranscriptList>

export const Rows: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByRole('article', { name: ofTurns.live })
    const names = canvas.getAllByRole('article').map((row) => row.getAttribute('aria-label') ?? '')
    const wanted = [ofEntries, ofNotes, ofTurns, ofCalls].flatMap((of) => Object.values(of))
    const missing = wanted.filter((name) => name && !names.some((one) => name.test(one)))
    await expect(missing).toEqual([])
  },
}
export const RowsDark: Story = {
  tags: ['soak'],
  ...Rows,
  globals: { theme: 'dark' },
  play: undefined,
}

/** A compaction expands to its summary and to the entries it replaced; a failed attempt to its output. */
export const Opened: Story = {
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: /^Context compacted: / }))
    await expect(canvas.getByText('read')).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: /^Replaced for the agent: / }))
    await userEvent.click(await canvas.findByRole('button', { name: 'Show more' }))
    const turn = await canvas.findByRole('button', { name: /I read part 2/ })
    await expect(canvas.queryByRole('button', { name: 'Show more' })).not.toBeInTheDocument()
    await userEvent.click(turn)
    await expect(onGoToEntry).toHaveBeenLastCalledWith(11)
    await expect(canvas.queryByText('The escapes are read in')).not.toBeInTheDocument()
    await userEvent.click(canvas.getByRole('button', { name: /connection was reset/ }))
    await expect(canvas.getByText('The escapes are read in')).toBeVisible()
  },
}
export const OpenedDark: Story = { tags: ['soak'], ...Opened, globals: { theme: 'dark' } }
