/** Defines all commands and options. The commands' code is in `commands/` and loaded on demand. */

import { Command, Option } from 'commander'
import type { AgentPreset } from '../../../../shared/agents/installed-agents.ts'
import type { Action, ParsedOptions } from '../action.ts'
import { portNumber } from '../option-values.ts'
import { addAgentCommands } from './agents.ts'
import { addExportCommand } from './exports.ts'
import type { Runs } from './parts.ts'
import { addProjectCommands } from './projects.ts'
import { addRecordCommands } from './record.ts'
import { addTaskCommands } from './tasks.ts'
import { addTranscriptCommands } from './transcripts.ts'
import { addWorkspaceCommands } from './workspaces.ts'

/** Repeated here, because loading their table would slow down `--help`. */
const installedAgents = Object.keys({
  codex: true,
  'claude-code': true,
  opencode: true,
  gemini: true,
  qwen: true,
} satisfies Record<AgentPreset, true>)

interface ProgramOptions {
  version: string
  /** The width of the help. */
  columns: number
  writeOut(text: string): void
  writeErr(text: string): void
  /** Called once with the action of the command line. */
  onCommand(shared: ParsedOptions, action: Action): void
}

export function createProgram(options: ProgramOptions): Command {
  const { onCommand, columns } = options
  const program = new Command('shiplog')
    .description(
      'Runs coding agents on your own repositories and keeps every report and transcript.',
    )
    .version(options.version, '-V, --version', 'print the version')
    .option(
      '--data-dir <dir>',
      'where everything is kept (else SHIPLOG_DATA_DIR, else the settings)',
    )
    .option('--json', 'print one JSON document on standard output and nothing else there')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: options.writeOut,
      writeErr: options.writeErr,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    })
    .exitOverride()
    .addHelpText('after', epilogue)

  const runs: Runs =
    (load) =>
    (...received) => {
      const command = received.at(-1) as Command
      const given = command.optsWithGlobals<ParsedOptions>()
      onCommand(given, async (context) => (await load(command.args, given))(context))
    }

  program
    .command('open')
    .description('open the desktop app; without Electron or a display, serve it to a browser')
    .argument(
      '[file]',
      'a log of Claude Code or Codex, a trajectory in ATIF, an export, or a folder of such: shown without importing it',
    )
    .action(runs(async ([file]) => (await import('../commands/open.ts')).open(file)))

  program
    .command('serve')
    .description('serve the app to a browser on this machine and print its URL')
    .option('--port <n>', 'port to listen on; 0 picks a free one', portNumber)
    .option('--host <addr>', 'address to listen on', '127.0.0.1')
    .action(
      runs(async (_, given) =>
        (await import('../commands/serve.ts')).serve(given as { port?: number; host: string }),
      ),
    )
  addAgentCommands(program, runs)
  addProjectCommands(program, runs)
  addTaskCommands(program, runs)
  addTranscriptCommands(program, runs)
  addExportCommand(program, runs, 'export one task as a file for others')
  addWorkspaceCommands(program, runs)
  addRecordCommands(program, runs)

  program
    .command('demo')
    .description('make a small Git project and run the bundled scenario on it')
    .option('--dir <dir>', 'where to make the project (else in the data directory)')
    .addOption(
      new Option('--agent <name>', 'an installed agent that takes part, on your account').choices(
        installedAgents,
      ),
    )
    .action(runs(async (_, given) => (await import('../commands/demo.ts')).demo(given)))

  // Commander's own command supports groups only: `help tasks apply` would show the help of `tasks`.
  program
    .helpCommand(false)
    .command('help')
    .description('show the help of a command')
    .argument('[command...]')
    .action((words: string[]) => helpOf(program, words))

  // Without a command, runs `open`. Unknown words are refused here, because commander would accept them as arguments.
  // Set after the subcommands, which would inherit it.
  program.allowUnknownOption().allowExcessArguments()
  program.action((_, command: Command) => {
    const [word] = command.args
    if (word?.startsWith('-')) command.error(`error: unknown option '${word}'`)
    if (word !== undefined) refuseUnknown(command)
    onCommand(command.opts<ParsedOptions>(), async (context) =>
      (await import('../commands/open.ts')).open()(context),
    )
  })
  showUsageAfterErrors(program, 'shiplog')
  return program
}

/** Prints the help of the command that `words` name. */
function helpOf(program: Command, words: string[]): never {
  let command = program
  for (const word of words) {
    const named = command.commands.find((candidate) => candidate.name() === word)
    if (!named) return command.error(`error: unknown command '${words.join(' ')}'`)
    command = named
  }
  return command.help()
}

/** Suggests similar commands, as groups do. A separate function, because commander's types lack it. */
const refuseUnknown = (command: Command): never =>
  (command as Command & { unknownCommand(): never }).unknownCommand()

/** Prints one line of usage after an error, because the whole help would push the error off the screen. */
function showUsageAfterErrors(command: Command, path: string): void {
  command.showHelpAfterError(
    `Usage: ${path} ${command.usage()}\n\`${path} --help\` explains ${command.commands.length > 0 ? 'the commands' : 'the options'}.`,
  )
  for (const below of command.commands) showUsageAfterErrors(below, `${path} ${below.name()}`)
}

const epilogue = `
Without a command, shiplog opens the app.

Any id that was shown is accepted, and so are its first characters (4 or more).

Exit codes:
    0  done
    1  the agent or task failed
    2  usage, or input that can't be used
    3  not found
    4  ambiguous id (its candidates are listed)
    5  refused: completed, conflicts, not trusted, out of scope
    6  another process holds the data directory
    7  damage found
  130  interrupted with Ctrl-C
  143  terminated (SIGTERM)
`
