/** `shiplog export`, also as a command of `shiplog transcripts`. */
import { type Command, Option } from 'commander'
import type { ExportFormat } from '../../../../shared/contract/exports.ts'
import { positiveInteger } from '../option-values.ts'
import { idArgument, type Runs } from './parts.ts'

/** Repeated here, because loading the contract would slow down `--help`. */
const formats = Object.keys({
  md: true,
  html: true,
  jsonl: true,
  json: true,
  atif: true,
  otlp: true,
  'agent-trace': true,
  'claude-code': true,
} satisfies Record<ExportFormat, true>)

export function addExportCommand(parent: Command, runs: Runs, description: string): void {
  parent
    .command('export')
    .description(description)
    .addArgument(idArgument('task'))
    .addOption(
      new Option(
        '--format <format>',
        "default: by the file's ending, else md; jsonl and json lose nothing",
      ).choices(formats),
    )
    .option('-o, --output <file>', 'where to write it; - is standard output', '-')
    .addOption(
      new Option('--children <how>', 'its sub-agents: whole, as their reports, or not at all')
        .choices(['inline', 'summary', 'none'])
        .default('inline'),
    )
    .addOption(new Option('--with-children', 'the same as --children inline').hideHelp())
    .option('--from <seq>', 'start with this entry', positiveInteger)
    .option('--through <seq>', 'end with this entry', positiveInteger)
    .option('--from-turn <n>', 'start with this turn and the prompts before it', positiveInteger)
    .option('--through-turn <n>', 'end with this turn', positiveInteger)
    .addOption(
      new Option('--outputs <how>', 'long outputs: their beginnings and ends, or all of them')
        .choices(['bounded', 'whole'])
        .default('bounded'),
    )
    .option('--no-redact', 'mask nothing: keys, home directories and user names stay in it')
    .option(
      '--keep <hit>',
      'leave this one unmasked, by its id in the preview; may be given several times',
      (hit: string, before: string[] = []) => [...before, hit],
    )
    .option('--files', 'with contents of changed files, and patches; these are never masked')
    .option('--content', 'otlp: with prompts, messages, inputs and outputs')
    .option('--preview', 'only list what is masked, and the size')
    .option('--force', 'replace the file if there is one')
    .action(
      runs(async ([id = ''], given) =>
        (await import('../commands/transcripts/export.ts')).exportTask(id, given),
      ),
    )
}
