/** How each installed agent is pointed at the fake of the model services, and how its model uses its tools. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FakeModels } from '../fake-models/fake-models.ts'
import type { Model, Wire } from '../fake-models/models.ts'
import { call, type Part } from '../fake-models/script.ts'

interface AgentUnderTest {
  wire: Wire
  /** Its model in the fake. */
  model: string
  /** Those that it asks besides, which the fake has to know. */
  moreModels?: Model[]
  /** Variables and files in its home folder, by path, that make it use the fake. */
  setUp(
    fake: FakeModels,
    model: string,
  ): {
    env: Record<string, string>
    files: Record<string, string>
  }
  /** Calls of its own tools. */
  write(path: string, content: string): Part
  shell(command: string): Part
  /** Like `write`, in the way in which the user is asked first; absent: `write` is. */
  writeAsking?: (path: string, content: string) => Part
  /** The name under which its model knows a tool of Shiplog. */
  ownTool(name: string): string
  /** The call by which its model starts a sub-agent of its own; absent: the agent does not report them. */
  ownSubAgent?: (prompt: string) => Part
  /** Without a key, it reports that nobody is signed in. OpenCode uses a hosted model instead. */
  saysSignIn: boolean
  /** It reports that a command ended, and not what it printed. */
  hidesOutput?: boolean
  /** Its turn ends when a call is refused: what becomes of its run. Absent: its model is asked again. */
  afterRefusal?: 'completed' | 'interrupted'
  /** A request that is part of the conversation, and not a side request, for a title for instance. */
  isTurn(body: Record<string, unknown>): boolean
}

const toolsOf = (body: Record<string, unknown>) =>
  ((body.tools ?? []) as { name?: string; function?: { name: string } }[]).map(
    (tool) => tool.function?.name ?? tool.name ?? '',
  )
const hasTool = (name: string) => (body: Record<string, unknown>) => toolsOf(body).includes(name)

const moreModel = (wire: Wire, id: string): Model => ({
  id,
  wires: [wire],
  contextChars: 800_000,
  maxOutputTokens: 65_536,
  thinksAlways: true,
})

export const agentsUnderTest: Record<string, AgentUnderTest> = {
  codex: {
    wire: 'responses',
    model: 'gpt-5.2',
    // For titles.
    moreModels: [moreModel('responses', 'gpt-5.6-luna')],
    setUp: (fake, model) => ({
      env: { OPENAI_API_KEY: fake.key },
      files: {
        '.codex/config.toml': `model = "${model}"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${fake.baseURLs.responses}"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
`,
      },
    }),
    write: (path, content) => call('exec_command', { cmd: `printf '%s' '${content}' > '${path}'` }),
    shell: (command) => call('exec_command', { cmd: command }),
    afterRefusal: 'interrupted',
    // Otherwise its sandbox refuses it.
    writeAsking: (path, content) =>
      call('exec_command', {
        cmd: `printf '%s' '${content}' > '${path}'`,
        sandbox_permissions: 'require_escalated',
        justification: 'May I write?',
      }),
    ownTool: (name) => `mcp__shiplog.${name}`,
    ownSubAgent: (message) => call('multi_agent_v1.spawn_agent', { message }),
    saysSignIn: true,
    isTurn: hasTool('exec_command'),
  },
  'claude-code': {
    wire: 'anthropic',
    model: 'claude-opus-5-5',
    setUp: (fake, model) => ({
      env: { ANTHROPIC_API_KEY: fake.key, ANTHROPIC_BASE_URL: fake.url, ANTHROPIC_MODEL: model },
      files: {},
    }),
    write: (path, content) => call('Write', { file_path: path, content }),
    shell: (command) => call('Bash', { command, description: 'Run it' }),
    ownTool: (name) => `mcp__shiplog__${name}`,
    ownSubAgent: (prompt) =>
      call('Agent', { description: 'Child', prompt, subagent_type: 'general-purpose' }),
    saysSignIn: true,
    isTurn: hasTool('Bash'),
  },
  opencode: {
    wire: 'chat',
    model: 'qwen3-coder',
    setUp: (fake, model) => ({
      env: {},
      files: {
        '.config/opencode/opencode.json': JSON.stringify({
          model: `fake/${model}`,
          small_model: `fake/${model}`,
          provider: {
            fake: {
              npm: '@ai-sdk/openai-compatible',
              name: 'fake',
              options: { baseURL: fake.baseURLs.chat, apiKey: fake.key },
              models: { [model]: { name: model, limit: { context: 200_000, output: 32_000 } } },
            },
          },
        }),
      },
    }),
    write: (path, content) => call('write', { filePath: path, content }),
    shell: (command) => call('bash', { command, description: 'Run it' }),
    ownTool: (name) => `shiplog_${name}`,
    saysSignIn: false,
    afterRefusal: 'completed',
    isTurn: hasTool('bash'),
  },
  gemini: {
    wire: 'google',
    model: 'gemini-3.1-pro-preview',
    hidesOutput: true,
    moreModels: ['gemini-3.1-pro-preview', 'gemini-3.5-flash-lite'].map((id) =>
      moreModel('google', id),
    ),
    setUp: (fake) => ({
      env: { GEMINI_API_KEY: fake.key, GOOGLE_GEMINI_BASE_URL: fake.url },
      files: {
        '.gemini/settings.json': JSON.stringify({
          security: { auth: { selectedType: 'gemini-api-key' } },
        }),
      },
    }),
    write: (path, content) => call('write_file', { file_path: path, content }),
    shell: (command) => call('run_shell_command', { command }),
    ownTool: (name) => `mcp_shiplog_${name}`,
    saysSignIn: true,
    isTurn: (body) => JSON.stringify(body.tools ?? []).includes('"run_shell_command"'),
  },
  qwen: {
    wire: 'chat',
    model: 'qwen3-coder',
    setUp: (fake, model) => ({
      env: { OPENAI_API_KEY: fake.key, OPENAI_BASE_URL: fake.baseURLs.chat, OPENAI_MODEL: model },
      files: {
        '.qwen/settings.json': JSON.stringify({ security: { auth: { selectedType: 'openai' } } }),
      },
    }),
    write: (path, content) => call('write_file', { file_path: path, content }),
    shell: (command) => call('run_shell_command', { command, is_background: false }),
    ownTool: (name) => `mcp__shiplog__${name}`,
    saysSignIn: true,
    afterRefusal: 'completed',
    isTurn: hasTool('run_shell_command'),
  },
}

export async function writeHome(home: string, files: Record<string, string>): Promise<void> {
  await mkdir(home, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), text)
  }
}
