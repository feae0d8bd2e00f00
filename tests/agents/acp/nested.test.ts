/** Whole runs of an installed agent with sub-agents of Shiplog's, which it starts over MCP. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ended, type Step, textChunk } from '../../acp-agent/script.ts'
import { allTasks, until } from '../../harness.ts'
import { acpFixture } from './acp-fixture.ts'

const uses = (tool: string, input: Record<string, unknown>): Step => ({ mcp: { tool, input } })

it('reaches its tools over standard input and output if it has no HTTP, and leaves no bridge process', async () => {
  const { shiplog, begin, log, agentDir } = await acpFixture({
    capabilities: { mcpCapabilities: { http: false } },
    prompts: [
      [
        uses('task', { agent: 'explore', title: 'Look', prompt: 'Find it' }),
        textChunk('It was found.'),
        ended(),
      ],
    ],
    childPrompts: [[uses('agent_report', { title: 'Found', markdown: 'It is here.' }), ended()]],
  })
  const root = await begin()
  await until(shiplog, (tasks) => tasks.find(({ id }) => id === root)?.status === 'completed')
  const [, child] = await allTasks(shiplog)
  expect(child).toMatchObject({ title: 'Look', status: 'completed', spec: { kind: 'acp' } })
  expect(JSON.stringify(await log())).toContain('It is here.')
  const servers = (await log()).flatMap(({ params }) => params?.mcpServers ?? [])
  expect(servers).toMatchObject([
    { name: 'shiplog', args: [expect.stringContaining('cli.'), 'mcp', '--task', root] },
    { name: 'shiplog', args: [expect.stringContaining('cli.'), 'mcp', '--task', child?.id] },
  ])
  // Other users can read arguments, and its token is none of them.
  expect(JSON.stringify(servers.map(({ args }) => args))).not.toContain('http')
  const living = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  expect(
    living.split('\n').filter((line) => line.includes(root) || line.includes(agentDir)),
  ).toEqual([])
})
