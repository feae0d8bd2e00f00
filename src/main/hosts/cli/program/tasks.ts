/** `shiplog tasks …`: the assignments of agents, and their results. */
import { type Command, Option } from 'commander'
import { agentCount, positiveInteger } from '../option-values.ts'
import { idArgument, keyEnvDescription, permissionsOption, type Runs } from './parts.ts'

export function addTaskCommands(program: Command, runs: Runs): void {
  const tasks = program.command('tasks').description('what agents were asked to do')
  tasks
    .command('list')
    .description('tasks as a tree')
    .option('--project <dir>', 'only those of this project')
    .option('--status <status>', 'only those in this state')
    .addOption(
      new Option(
        '--source <source>',
        'only what this tool recorded, or what was recorded here',
      ).choices(['claude-code', 'codex', 'atif', 'shiplog', 'here']),
    )
    .option('--all', 'the archived ones as well')
    .action(runs(async (_, given) => (await import('../commands/tasks/tasks.ts')).list(given)))
  tasks
    .command('report')
    .description('the report that a task ended with, as Markdown')
    .addArgument(idArgument('task'))
    .option('--run <n>', 'of this run; the newest without it', positiveInteger)
    .option('--raw', 'as the agent wrote it, escape sequences and hidden characters included')
    .action(
      runs(async ([id = ''], given) =>
        (await import('../commands/tasks/tasks.ts')).report(id, given),
      ),
    )
  tasks
    .command('checks')
    .description(
      'the tests, compilers and linters that it ran, and whether the files changed since',
    )
    .addArgument(idArgument('task'))
    .action(runs(async ([id = '']) => (await import('../commands/tasks/checks.ts')).checks(id)))
  tasks
    .command('stop')
    .description('interrupt a task and everything below it; what was said so far is kept')
    .addArgument(idArgument('task'))
    .option('--wrap-up', 'have them report now instead, each in one last turn')
    .action(
      runs(async ([id = ''], given) =>
        (await import('../commands/tasks/tasks.ts')).stop(id, given),
      ),
    )
  tasks
    .command('try-now')
    .description('send the next request to its model now, where it waits to try again')
    .addArgument(idArgument('task'))
    .action(runs(async ([id = '']) => (await import('../commands/tasks/tasks.ts')).tryNow(id)))
  tasks
    .command('resume')
    .description('resume interrupted agents, after a check for changes since they stopped')
    .argument('[id]', 'id of the agent; without one, the agent that stopped last')
    .option('--batch [group]', 'the parallel group of that agent, or the one of this name')
    .option('--project <dir>', 'only what was started on this project')
    .option('--tree', 'the whole tree of its root, every interrupted agent in it')
    .option('--force', 'resume despite conflicts')
    .addOption(
      permissionsOption(
        'what agents may do unasked: only look, edit files as well, or everything (default: as before)',
      ),
    )
    .option('--dry-run', 'only list the agents and the changes since they stopped')
    .option('--max-agents <n>', 'agents that run at the same time, 1 to 16', agentCount)
    .action(
      runs(async ([id], given) =>
        (await import('../commands/tasks/tasks-resume.ts')).resume(id, given),
      ),
    )
  tasks
    .command('retry')
    .description('run a failed task again, and what waited for it')
    .addArgument(idArgument('task'))
    .action(runs(async ([id = '']) => (await import('../commands/tasks/tasks-again.ts')).retry(id)))
  tasks
    .command('restart')
    .description('abandon an interrupted task and run it again from its beginning')
    .addArgument(idArgument('task'))
    .action(
      runs(async ([id = '']) => (await import('../commands/tasks/tasks-again.ts')).restart(id)),
    )
  tasks
    .command('continue')
    .description('continue from a task, as a new task with its history and files')
    .addArgument(idArgument('task'))
    .argument('[prompt]', 'what the new task is asked to do (else the same again)')
    .option(
      '--at <seq>',
      'from the end of the turn with this entry, in a worktree with the files of that moment',
      positiveInteger,
    )
    .option('--agent <kind>', 'another agent, as shiplog agent list names it (default: the same)')
    .option('--command <command>', 'of an installed agent that speaks ACP: --agent acp')
    .option('--agent-mode <mode>', "the mode of an installed agent's sessions, as it names it")
    .option('--model <name>', 'another provider and model, such as anthropic/claude-opus-5-5')
    .option('--base-url <url>', "where the model is, instead of its provider's own address")
    .option('--key-env <name>', keyEnvDescription)
    .option('--scenario <file>', 'what a scripted agent plays (YAML)')
    .option(
      '--project <dir>',
      'of an imported session: where to continue (default: its own folder)',
    )
    .addOption(
      new Option(
        '--isolation <how>',
        'of an imported session: a worktree, or the folder itself (default: the folder)',
      ).choices(['worktree', 'in-place']),
    )
    .addOption(permissionsOption('what agents may do unasked (default: as the task)'))
    .option(
      '--trust',
      "allow the project's own set-up command, and what it configures for an installed agent, to run",
    )
    .action(
      runs(async (args, given) =>
        (await import('../commands/tasks/continue.ts')).continueFrom(args, given),
      ),
    )
  tasks
    .command('abandon')
    .description('abandon a task that is interrupted or has not started; its record stays')
    .addArgument(idArgument('task'))
    .action(
      runs(async ([id = '']) => (await import('../commands/tasks/tasks-again.ts')).abandon(id)),
    )
  tasks
    .command('link-pr')
    .description("add the address of a pull request to a task's transcript")
    .addArgument(idArgument('task'))
    .argument('<url>', 'https address of the pull request')
    .action(
      runs(async ([id = '', url = '']) =>
        (await import('../commands/tasks/tasks.ts')).linkPullRequest(id, url),
      ),
    )
  tasks
    .command('apply')
    .description(
      "bring a task's changes, not committed, into its parent's worktree; a root's into the project",
    )
    .addArgument(idArgument('task'))
    .option('--undo', 'take the last apply back; refused where a file was changed since')
    .addOption(
      new Option('--file <path...>', 'only these changed files, or all below a folder').conflicts(
        'undo',
      ),
    )
    .addOption(
      new Option(
        '--hunk <path:n...>',
        'only these hunks: the nth of that file in `workspaces diff`, from 1; src/a.ts:1,3 for two',
      ).conflicts('undo'),
    )
    .action(
      runs(async ([id = ''], given) =>
        (await import('../commands/tasks/tasks.ts')).apply(id, given),
      ),
    )
}
