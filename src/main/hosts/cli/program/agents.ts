/** `shiplog agent …`: runs agents, and sets up what they run on. */
import { type Command, Option } from 'commander'
import type { AgentKind } from '../../../../shared/agents/agent-specs.ts'
import type { InstalledAgent } from '../../../../shared/agents/installed-agents.ts'
import { agentCount, amount, positiveInteger, variableName } from '../option-values.ts'
import { keyEnvMeaning, permissionsOption, type Runs } from './parts.ts'

/** Here and not from the schema, which would be loaded for every `--help`. */
export const agentNames = Object.keys({
  ...{ scripted: true, model: true, codex: true, 'claude-code': true, opencode: true },
  ...{ gemini: true, qwen: true, acp: true },
} satisfies Record<AgentKind | InstalledAgent, true>)

export function addAgentCommands(program: Command, runs: Runs): void {
  const agent = program.command('agent').description('run agents')
  agent
    .command('run')
    .description('run a root agent to its end; its report goes to standard output')
    .argument('[prompt]', 'what the agent is asked to do')
    .option('--project <dir>', 'the folder to work on, usually a Git repository')
    .addOption(
      new Option(
        '--agent <kind>',
        'default: model; scripted with --scenario; an installed agent by its name, acp with --command',
      ).choices(agentNames),
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
    .option('--key-env <name>', keyEnvMeaning)
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
    .option('--budget-usd <n>', 'what the agent and all below it may cost, in US dollars', amount)
    .option('--budget-tokens <n>', 'tokens that they may use, in and out', positiveInteger)
    .option('--budget-minutes <n>', 'minutes that they may work', amount)
    .option(
      '--image <file>',
      'show it to the agent with the prompt (PNG, JPEG, GIF or WebP); may be given several times',
      (file: string, before: string[] = []) => [...before, file],
    )
    .option('--quota-waits <n>', 'how often they wait for a spent quota and go on', positiveInteger)
    .option('--reads-record', 'let the agents read the transcripts and reports of those below them')
    .option('--planning', 'make .planning/ in the project, and keep its agent history there')
    .option('--trust', "allow the project's own set-up command to run")
    .option('--resume <id>', 'resume an interrupted agent and all below it')
    .option('--force', 'with --resume: resume despite conflicts')
    .action(
      runs(async (args, given) =>
        (await import('../commands/agents/agent-run.ts')).agentRun(args, given),
      ),
    )
  agent
    .command('list')
    .description("the kinds of agent that can run here, and why the others can't")
    .action(runs(async () => (await import('../commands/agents/agent-list.ts')).agentList()))
  agent
    .command('test')
    .description('ask a model once whether it answers and calls tools; exit 1 when it does not')
    .argument(
      '[model]',
      'PROVIDER/MODEL, such as anthropic/claude-opus-5-5 or ollama/qwen3:8b; without it the default model',
    )
    .option('--base-url <url>', "where the model is, instead of its provider's own address")
    .option('--key-env <name>', keyEnvMeaning)
    .action(
      runs(async ([model], given) =>
        (await import('../commands/agents/agent-test.ts')).agentTest(model, given),
      ),
    )
  agent
    .command('setup')
    .description('set up a provider of models: asks in the terminal for what is not given')
    .argument('[provider]', 'anthropic, openai, google, or a name for a server of your own')
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
}
