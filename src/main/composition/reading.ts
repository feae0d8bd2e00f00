/** Creates the read-only services: transcripts, search, checks, attribution and exports. */

import { createTranscripts } from '../archive/transcripts.ts'
import { createTurnFiles } from '../archive/turn-files.ts'
import { createChecks } from '../checks/checks.ts'
import { createDiskSource } from '../export/disk-source.ts'
import { createExportService } from '../export/export-service.ts'
import { createFileAuthors } from '../review/file-authors.ts'
import { createTreeChanges } from '../review/tree-changes.ts'
import { createSearchService } from '../search/search-service.ts'
import { createTranscriptFinder } from '../search/transcript/transcript-finder.ts'
import type { LearningMasker } from '../secrets/masker.ts'
import type { TurnStore } from '../turn-store/turn-store.ts'
import { version } from '../version.ts'
import { filesDirOf } from '../workspaces/has-working-dir.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import type { Foundation } from './foundation.ts'

export function createReaders(
  common: Foundation,
  deps: { workspaces: WorkspaceService; turnStore: TurnStore; secrets: LearningMasker },
) {
  const { ledger, layout, git, clock } = common
  const { workspaces, turnStore, secrets } = deps
  const archive = workspaces.records
  const { state } = ledger
  const transcripts = createTranscripts(archive)
  const finder = createTranscriptFinder({ archive, indexFile: layout.searchIndex })
  return {
    transcripts,
    turnFiles: createTurnFiles({
      state,
      archive,
      turnStore,
      git,
      filesDirOf: (workspace) =>
        filesDirOf({ git, workingDirs: workspaces.workingDirs }, workspace),
    }),
    checks: createChecks({ state, archive, turnStore }),
    fileAuthors: createFileAuthors({ state, archive, turnStore, diff: workspaces.diff }),
    search: createSearchService({ ...common, archive, file: layout.searchIndex }),
    finder,
    treeChanges: createTreeChanges({ state, diff: workspaces.diff, edits: finder.edits }),
    exports: createExportService({
      source: createDiskSource({ state, archive }),
      turns: transcripts.rangeOfTurns,
      maskKnown: secrets.text,
      version,
      clock,
    }),
  }
}
