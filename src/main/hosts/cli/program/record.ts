/** Commands on the record: search, its checks, and how long it is kept. */
import { type Command, Option } from 'commander'
import { positiveInteger, transcriptTtlDays, wholeId } from '../option-values.ts'
import type { Runs } from './parts.ts'

export function addRecordCommands(program: Command, runs: Runs): void {
  program
    .command('search')
    .description('full-text search over reports and transcripts, live and archived')
    .argument(
      '<query...>',
      'words, "phrases", -words, and tool: is: file: kind: project: source: agent: model: task: after: before:',
    )
    .addOption(
      new Option('--kind <kind>', 'only reports, or only what is in transcripts').choices([
        'report',
        'transcript',
      ]),
    )
    .option('--regex', 'the query, without its filters, is one regular expression')
    .option('--project <dir>', 'only of this project')
    .option('--limit <n>', 'how many matches to print, 200 at most', positiveInteger, 20)
    .action(
      runs(async (words, given) =>
        (await import('../commands/transcripts/search.ts')).search(words, given),
      ),
    )

  program
    .command('mcp')
    .description('a server of the Model Context Protocol over standard input and output')
    .option(
      '--read',
      'only tools that search and read the record, none that starts or stops a task',
    )
    .option(
      '--task <id>',
      'with --read: only what is below this task, by its whole id. Without: the tools of its running agent, which Shiplog starts itself',
      wholeId,
    )
    .action(runs(async (_, given) => (await import('../commands/mcp.ts')).mcp(given)))

  program
    .command('verify')
    .description('check a transcript or an export by its chain of checksums')
    .argument('<file>', 'a chat.jsonl, a ledger.jsonl, or an export of one')
    .action(
      runs(async ([file = '']) => (await import('../commands/transcripts/verify.ts')).verify(file)),
    )

  program
    .command('import')
    .description('bring what was recorded elsewhere into the archive')
    .argument(
      '[tool]',
      'what wrote it: claude-code, codex, atif or shiplog; a file or folder in its place is recognised; `--scan` without one looks for all',
    )
    .argument(
      '[path]',
      'a session, a folder of sessions or the tool’s own folder, which is used without it; of shiplog, an export in JSONL or JSON',
    )
    .option(
      '--scan',
      'only list the sessions that were found, with names, sizes, times and first lines',
    )
    .addOption(
      new Option(
        '--watch',
        'continue with new sessions and those that grow, until you interrupt it',
      ).conflicts('scan'),
    )
    .action(
      runs(async ([tool, path], given) => {
        const { importSessions } = await import('../commands/transcripts/import-sessions.ts')
        return importSessions(tool, path, given)
      }),
    )

  program
    .command('doctor')
    .description('check everything on disk: journals, indexes, artifacts, worktrees')
    .option('--repair', 'repair what can be repaired without losing anything')
    .action(runs(async (_, given) => (await import('../commands/doctor.ts')).doctor(given)))

  program
    .command('prune')
    .description('move transcripts that have expired to the trash, with a receipt')
    .option('--dry-run', 'only say what would be removed')
    .option('--yes', 'also when the clock is weeks past the newest record: its date is right')
    .option(
      '--transcript-ttl-days <n>',
      'days that a finished transcript is kept, or "never"; instead of the settings',
      transcriptTtlDays,
    )
    .addOption(
      new Option('--undo <receipt>', 'restore the items that this receipt lists').conflicts([
        'dryRun',
        'transcriptTtlDays',
      ]),
    )
    .action(runs(async (_, given) => (await import('../commands/prune.ts')).prune(given)))
}
