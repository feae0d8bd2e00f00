import type { Mutant } from './mutant.ts'

const replay = ['tests/renderer/store/replay.test.ts']
const transcript = ['tests/renderer/store/transcript/transcript-store.test.ts']

/** Transcripts and their replay in the window. */
export const windowMutants: Mutant[] = [
  {
    id: 'window-replay-reading-moves',
    file: 'src/renderer/store/replay/follow-moments.ts',
    find: 'return onMoment(view, false)',
    replace: 'return onMoment(view, true)',
    harm: 'A reader is moved each time that more of the timeline was read.',
    tests: replay,
  },
  {
    id: 'window-replay-let-go',
    file: 'src/renderer/store/replay/follow-moments.ts',
    find: ' && view.dragging === before.dragging',
    replace: '',
    harm: 'Where the handle is let go, the transcript stays at an earlier moment for a while.',
    tests: replay,
  },
  {
    id: 'window-replay-leaves-end',
    file: 'src/renderer/store/replay/replay-store.ts',
    find: 'atEnd = to === last',
    replace: 'atEnd = false',
    harm: 'A replay that was moved to the end falls behind a transcript that grows.',
    tests: replay,
  },
  {
    id: 'window-older-page-dropped',
    file: 'src/renderer/store/transcript/entry-window.ts',
    find: '.slice(0, windowEntriesMax)',
    replace: '.slice(-windowEntriesMax)',
    harm: 'In a long transcript the reader who scrolls up gets no further.',
    tests: [...transcript, 'tests/renderer/store/transcript/entry-window.test.ts'],
  },
  {
    id: 'window-jump-keeps-page',
    file: 'src/renderer/store/transcript/transcript-store.ts',
    find: "      turning.abort()\n      store.setState({ paging: 'jump'",
    replace: "      store.setState({ paging: 'jump'",
    harm: 'A page that was being read is put in place of the entries that were jumped to.',
    tests: transcript,
  },
]
