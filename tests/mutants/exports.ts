import type { Mutant } from './mutant.ts'

/** What leaves the machine, what proves it, and what comes back. */
export const exportsMutants: Mutant[] = [
  {
    id: 'export-changed-record-as-written',
    file: 'src/main/export/formats/shiplog-parts.ts',
    find: "if (read.kind === 'withheld' || read.changed) {",
    replace: "if (read.kind === 'withheld') {",
    harm: 'A record in which a secret was masked is exported as it was written, secret included.',
    tests: ['tests/export/export.test.ts'],
  },
  {
    id: 'export-keeps-everything',
    file: 'src/main/export/redaction/redactor.ts',
    find: 'const isKept = keep.has(id)',
    replace: 'const isKept = keep.size > 0',
    harm: 'Keeping one harmless value lets every key out.',
    tests: ['tests/export/redaction.test.ts', 'tests/export/export.test.ts'],
  },
  {
    id: 'export-field-names-unmasked',
    file: 'src/main/export/redaction/redactor.ts',
    find: ': [text(key, place), value(item, place, key)],',
    replace: ': [key, value(item, place)],',
    harm: 'A password whose field alone says that it is one leaves with the export.',
    tests: ['tests/export/redaction.test.ts'],
  },
  {
    id: 'export-moved-lines-accepted',
    file: 'src/main/export/read-export.ts',
    find: 'if (!follows) yield problem(',
    replace: 'if (!follows && seq < 0) yield problem(',
    harm: 'A transcript with records taken out or moved is called intact.',
    tests: ['tests/export/export.test.ts'],
  },
  {
    id: 'import-keeps-what-failed',
    file: 'src/main/imports/import-session.ts',
    find: '      if (!isPublished) await clearStaged(layout, id)\n',
    replace: '',
    harm: 'Each refused file leaves a copy of itself in the archive.',
    tests: ['tests/export/import.test.ts'],
  },
  {
    id: 'import-same-ids-anyway',
    file: 'src/main/imports/session-places.ts',
    find: 'if (version >= versionsMax || !root?.exported',
    replace: 'if (version >= 0 || !root?.exported',
    harm: 'Importing another version of a task puts it in the place of the one that is here.',
    tests: ['tests/export/import.test.ts'],
  },
  {
    id: 'export-home-of-this-machine-only',
    file: 'src/main/export/redaction/personal-paths.ts',
    find: "    for (const { index, 0: path } of text.matchAll(homes)) add(index, path.length, 'home', '~')\n",
    replace: '',
    harm: 'An export of an imported session names the account of the machine that it comes from.',
    tests: ['tests/export/redaction.test.ts', 'tests/export'],
  },
]
