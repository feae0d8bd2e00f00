/** A client of the servers that the scripted agent is given, over both of their transports. */
import type { Client } from '@modelcontextprotocol/client'

export type McpClient = Client

/** An entry of `mcpServers`. */
export type McpServer = { name: string } & (
  | { type: 'http'; url: string; headers: { name: string; value: string }[] }
  | { command: string; args: string[]; env: { name: string; value: string }[] }
)

/** Resolves once its tools were listed. */
export async function connectServer(server: McpServer): Promise<McpClient> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'scripted', version: '1' })
  if ('url' in server) {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]))
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }),
    )
  } else {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]))
    const { command, args } = server
    await client.connect(new StdioClientTransport({ command, args, env }))
  }
  await client.listTools()
  return client
}
