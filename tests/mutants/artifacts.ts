import type { Mutant } from './mutant.ts'

/** Reports, transcripts and patches: what is kept of a workspace, and how it rolls up. */
export const artifactsMutants: Mutant[] = [
  {
    id: 'artifacts-older-report-wins',
    file: 'src/main/artifacts/roll-up.ts',
    find: 'run.updatedAtMs >= rival.updatedAtMs',
    replace: 'run.updatedAtMs < rival.updatedAtMs',
    harm: 'After a roll-up the outdated report of a run is shown, and the newer one is set aside.',
    tests: ['tests/artifacts/artifacts.test.ts', 'tests/artifacts/strangers-and-rivals.test.ts'],
  },
  {
    id: 'artifacts-older-folder-wins',
    file: 'src/main/artifacts/roll-up.ts',
    find: 'entry.updatedAtMs >= known.updatedAtMs',
    replace: 'entry.updatedAtMs < known.updatedAtMs',
    harm: 'After a roll-up an outdated patch or transcript takes the place of the newer one.',
    tests: ['tests/artifacts/strangers-and-rivals.test.ts', 'tests/artifacts/artifacts.test.ts'],
  },
  {
    id: 'artifacts-unknown-files-deleted',
    file: 'src/main/artifacts/roll-up.ts',
    find: '    if (!(await isEmptyDir(payload))) return\n',
    replace: '',
    harm: "A user's own file among the transcripts is deleted when the workspace is removed.",
    tests: ['tests/artifacts/strangers-and-rivals.test.ts'],
  },
  {
    id: 'artifacts-report-behind-its-index',
    file: 'src/main/artifacts/reports.ts',
    find: "await writeFileDurable(join(dir, 'report.md'), report.markdown)",
    replace: "void writeFileDurable(join(dir, 'report.md'), report.markdown).catch(() => {})",
    harm: 'An agent counts as completed whose report was never written.',
    tests: ['tests/artifacts/failed-writes.test.ts', 'tests/artifacts/artifacts.test.ts'],
  },
  {
    id: 'artifacts-changed-report-shown',
    file: 'src/main/artifacts/reports.ts',
    find: 'sha256Of(markdown) !== markdownSha256',
    replace: 'sha256Of(markdown) === null',
    harm: 'A report that a bad disk changed is shown as what the agent said.',
    tests: ['tests/artifacts/artifacts.test.ts'],
  },
  {
    id: 'artifacts-shorter-transcript-complete',
    file: 'src/main/artifacts/transcripts.ts',
    find: 'const isDamaged = counted.damaged || isShorter',
    replace: 'const isDamaged = counted.damaged',
    harm: 'A transcript that lost its last lines is archived as complete.',
    tests: ['tests/tasks/transcript-counts.test.ts', 'tests/artifacts/artifacts.test.ts'],
  },
  {
    id: 'artifacts-unknown-trash-deleted',
    file: 'src/main/artifacts/expired-transcripts.ts',
    find: 'if ((await readdir(trashDir)).length === 0) await removeDurable(trashDir)',
    replace: 'await removeDurable(trashDir)',
    harm: 'A file that somebody put beside a transcript in the trash is deleted when the transcript is restored.',
    tests: [
      'tests/artifacts/strangers-and-rivals.test.ts',
      'tests/retention/retention.test.ts',
      'tests/retention/settings.test.ts',
    ],
  },
  {
    id: 'artifacts-damaged-index-overwritten',
    file: 'src/main/artifacts/artifact-index.ts',
    find: "  if (file.kind === 'damaged') await setAside(path, 'damaged')\n",
    replace: '  void file\n',
    harm: 'A damaged index is replaced, and nobody can look at what it held.',
    tests: ['tests/artifacts/artifacts.test.ts'],
  },
]
