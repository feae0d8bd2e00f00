/** `shiplog agent …`: runs agents, and sets up what they run on. */
import { type Command, Option } from 'commander'
import { agentCount, amount, positiveInteger, variableName, wholeNumber } from '../option-values.ts'
import { keyEnvDescription, permissionsOption, type Runs } from './parts.ts'

export function addAgentCommands(program: Command, runs: Runs): void {
  const agent = program.command('agent').description('run agents')
  agent
    .command('run')
    .description('run a root agent to its end; its report goes to standard output')
    .argument('[prompt]', 'what the agent is asked to do')
    .option('--project <dir>', 'the folder to work on, usually a Git repository')
    .option(
      '--agent <kind>',
      'default: model; scripted with --scenario; an installed agent by its name (shiplog agent list), acp with --command',
    )
    .option(
      '--command <command>',
      'of an installed agent that speaks ACP on standard input and output',
    )
    .option('--agent-mode <mode>', "the mode of an installed agent's sessions, as it names it")
    .option(
      '--model <name>',
      'provider and model, such as anthropic/claude-opus-5-5 (default: that of the settings)',
    )
    .option('--base-url <url>', "where the model is, instead of its provider's own address")
    .option('--key-env <name>', keyEnvDescription)
    .option('--scenario <file>', 'what the scripted agent plays (YAML)')
    .addOption(
      new Option(
        '--isolation <how>',
        'a worktree of its own, or the project folder itself (default: a worktree in Git)',
      ).choices(['worktree', 'in-place']),
    )
    .option('--max-agents <n>', 'agents that run at the same time, 1 to 16', agentCount)
    .option('--keep', "keep finished sub-agents' workspaces")
    .option(
      '--env <name>',
      'let a secret variable through to the agents; may be given several times',
      variableName,
    )
    .addOption(
      permissionsOption(
        "what agents may do unasked: only look, edit files as well, or everything (default: the project's; of a scenario: all)",
      ),
    )
    .option('--budget-usd <n>', 'what the agent and its sub-agents may cost, in US dollars', amount)
    .option('--budget-tokens <n>', 'tokens that they may use, in and out', positiveInteger)
    .option('--budget-minutes <n>', 'minutes that they may work', amount)
    .option(
      '--image <file>',
      'show it to the agent with the prompt (PNG, JPEG, GIF or WebP); may be given several times',
      (file: string, before: string[] = []) => [...before, file],
    )
    .option(
      '--quota-waits <n>',
      'how often they wait for a spent quota and then continue; 0: never',
      wholeNumber,
    )
    .option('--reads-record', 'let the agents read the transcripts and reports of their sub-agents')
    .option('--planning', 'make .planning/ in the project, and keep its agent history there')
    .option(
      '--trust',
      "allow the project's own set-up command, and what it configures for an installed agent, to run",
    )
    .option('--resume <id>', 'resume an interrupted agent and its sub-agents')
    .option('--force', 'with --resume: resume despite conflicts')
    .action(
      runs(async (args, given) =>
        (await import('../commands/agents/agent-run.ts')).agentRun(args, given),
      ),
    )
  agent
    .command('list')
    .description("the kinds of agent that can run here, and why the others can't")
    .option('--check', 'start each installed agent once, to see what it can and who is signed in')
    .action(
      runs(async (_, given) => (await import('../commands/agents/agent-list.ts')).agentList(given)),
    )
  agent
    .command('test')
    .description(
      'ask a model, or an installed agent, once whether it answers; exit 1 when it does not',
    )
    .argument(
      '[model]',
      'PROVIDER/MODEL, such as anthropic/claude-opus-5-5, or an agent of shiplog agent list; without it the default model',
    )
    .option('--base-url <url>', "where the model is, instead of its provider's own address")
    .option('--key-env <name>', keyEnvDescription)
    .action(
      runs(async ([model], given) =>
        (await import('../commands/agents/agent-test.ts')).agentTest(model, given),
      ),
    )
  agent
    .command('setup')
    .description(
      'set up a provider of models or an installed agent: asks in the terminal for what is not given',
    )
    .argument(
      '[provider]',
      'anthropic, openai, google, or a name for a server of your own; or an installed agent, or a name for a command of your own',
    )
    .option('--command <command>', 'of an agent of your own, which speaks ACP: "copilot --acp"')
    .option('--agent-mode <mode>', "the mode of that agent's sessions, as it names it")
    .option(
      '--env <name>',
      'let a secret variable through to that agent; may be given several times',
      (name: string, before?: string[]) => variableName(name, before),
    )
    .option(
      '--set <name=value>',
      'a variable of that agent, which is no secret; may be given several times',
      (text: string, before: string[] = []) => [...before, text],
    )
    .option('--yes', 'let npx fetch the package of an agent that is not installed')
    .option('--base-url <url>', 'the address of a server of your own; ends in /v1')
    .addOption(
      new Option('--key-env <name>', 'use the key in this environment variable, by name').conflicts(
        'keyStdin',
      ),
    )
    .option('--key-stdin', 'read the key from standard input and keep it')
    .option('--model <name>', 'what new agents are offered, without the provider')
    .option(
      '--context-tokens <n>',
      'the context window of its models, as a server of your own runs them',
      positiveInteger,
    )
    .option('--no-test', 'make no short exchange with the model, which is paid for')
    .action(
      runs(async ([provider], given) =>
        (await import('../commands/agents/agent-setup.ts')).agentSetup(provider, given),
      ),
    )
  agent
    .command('remove')
    .description('remove an agent of your own from the list; tasks that it ran keep it')
    .argument('<name>', 'its name')
    .action(
      runs(async ([name = '']) =>
        (await import('../commands/agents/agent-remove.ts')).agentRemove(name),
      ),
    )
}
