/** The commands of `shiplog transcripts`. */
import { type Command, Option } from 'commander'
import { positiveInteger } from '../option-values.ts'
import { addExportCommand } from './exports.ts'
import { idArgument, type Runs } from './parts.ts'

export function addTranscriptCommands(program: Command, runs: Runs): void {
  const transcripts = program.command('transcripts').description('what agents said and did')
  transcripts
    .command('list')
    .description('every transcript that is kept, of live and cleaned-up agents alike')
    .option('--project <dir>', 'only those of this project')
    .action(
      runs(async (_, given) =>
        (await import('../commands/transcripts/transcripts-list.ts')).list(given),
      ),
    )
  transcripts
    .command('show')
    .description('one transcript, turn by turn')
    .addArgument(idArgument('task'))
    .option('--from <seq>', 'start with this entry', positiveInteger)
    .option('--limit <n>', 'this many entries at most', positiveInteger)
    .addOption(
      new Option('--format <format>', 'Markdown to read, or the entries as JSON Lines')
        .choices(['md', 'jsonl'])
        .default('md'),
    )
    .option('--raw', 'unaltered: with escape sequences, hidden characters and complete outputs')
    .action(
      runs(async ([id = ''], given) =>
        (await import('../commands/transcripts/transcripts-show.ts')).show(id, given),
      ),
    )
  transcripts
    .command('find')
    .description(
      'every match of a text in one transcript: prompts, messages, calls and whole outputs',
    )
    .addArgument(idArgument('task'))
    .argument('<text>', 'what to look for')
    .option('--regex', 'the text is a regular expression')
    .option('--case', 'match upper and lower case')
    .option('--word', 'whole words only')
    .option('--limit <n>', 'how many texts with a match to print', positiveInteger, 50)
    .action(
      runs(async ([id = '', text = ''], given) =>
        (await import('../commands/transcripts/transcripts-find.ts')).find(id, text, given),
      ),
    )
  addExportCommand(transcripts, runs, 'the same as `shiplog export`')

  program
    .command('files')
    .description('the files of a task as they were at an entry of its transcript')
    .addArgument(idArgument('task'))
    .argument('[path]', 'a file, whose bytes are printed, or a folder with a slash at its end')
    .option('--at <seq>', 'the entry; without it the last one', positiveInteger)
    .action(
      runs(async ([id = '', path], given) =>
        (await import('../commands/transcripts/files.ts')).files(id, path, given),
      ),
    )
}
