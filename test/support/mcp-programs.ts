import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { finish, installed, npmInstall } from './installed.ts'

// MCP clients that are programs of others, installed from their registries on first use.

export interface Listed {
  tools: string[]
  /** The text of the answer of `check_capability`. */
  text: string
}

/** What a client lists at an endpoint, and what a call answers it. */
export type Program = (to: { url: string; key: string; email: string; home: string }) => Promise<Listed>

const run = promisify(execFile)

/** The Node that some of them need: newer than the one that runs the gate. */
const node = {
  name: 'node-24.21.0',
  packages: [`node-${process.platform}-${process.arch}@24.21.0`],
  program: `node_modules/node-${process.platform}-${process.arch}/bin/node`,
}

interface NpmProgram {
  name: string
  packages: string[]
  program: string
}

const npmProgram = async ({ name, packages, program }: NpmProgram): Promise<string> =>
  join(await installed(name, program, (folder) => npmInstall(folder, packages)), program)

/** Runs a program of the npm registry under the newer Node. @returns what it prints, also where it fails */
export async function runNpmProgram(
  program: NpmProgram,
  args: string[],
  home: string,
): Promise<{ output: string; code: number }> {
  const [binary, script] = await Promise.all([npmProgram(node), npmProgram(program)])
  const options = { env: { PATH: process.env['PATH']!, HOME: home }, maxBuffer: 2 ** 26, timeout: 300_000 }
  return run(binary, [script, ...args], options).then(
    ({ stdout }) => ({ output: stdout, code: 0 }),
    ({ stdout, stderr, code }) => ({ output: `${stdout}${stderr}`, code: Number(code) }),
  )
}

export const conformance: NpmProgram = {
  name: 'mcp-conformance-0.2.0-alpha.12',
  packages: ['@modelcontextprotocol/conformance@0.2.0-alpha.12'],
  program: 'node_modules/@modelcontextprotocol/conformance/dist/index.js',
}

const inspectorProgram: NpmProgram = {
  name: 'mcp-inspector-2.12.0',
  packages: ['@modelcontextprotocol/inspector@2.12.0'],
  program: 'node_modules/.bin/mcp-inspector',
}

/** @param era  which revisions it tries */
export const inspector =
  (era: string): Program =>
  async ({ url, key, email, home }) => {
    const to = ['--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]
    const ask = async (...more: string[]) => {
      const { output, code } = await runNpmProgram(
        inspectorProgram,
        [...to, '--protocol-era', era, ...more],
        home,
      )
      if (code !== 0) throw new Error(`The Inspector ended with ${code}: ${output}`)
      return JSON.parse(output)
    }
    const { tools } = await ask('--method', 'tools/list', '--strict')
    const call = ['--method', 'tools/call', '--tool-name', 'check_capability', '--tool-arg', `email=${email}`]
    const called = await ask(...call)
    return { tools: tools.map(({ name }: { name: string }) => name), text: called.content[0].text }
  }

const remote: NpmProgram = {
  name: 'mcp-remote-0.15.1',
  packages: ['mcp-remote@0.15.1'],
  program: 'node_modules/mcp-remote/dist/proxy.js',
}

/** A bridge to clients that only start programs. */
export const mcpRemote: Program = async ({ url, key, email, home }) => {
  const [command, script] = await Promise.all([npmProgram(node), npmProgram(remote)])
  const client = new Client({ name: 'test', version: '1' })
  const args = [script, url, '--header', `Authorization: Bearer ${key}`, '--allow-http']
  const env = { PATH: process.env['PATH']!, HOME: home }
  await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }) as never)
  try {
    const { tools } = await client.listTools()
    const called = await client.callTool({ name: 'check_capability', arguments: { email } })
    return { tools: tools.map(({ name }) => name), text: (called.content as { text: string }[])[0]!.text }
  } finally {
    await client.close()
  }
}

/** The same without a key. @param connect  has it connected, by what it prints. @returns the tools that it lists */
export async function remoteSignIn(
  url: string,
  env: Record<string, string>,
  connect: (shown: () => string) => Promise<void>,
): Promise<string[]> {
  const [command, script] = await Promise.all([npmProgram(node), npmProgram(remote)])
  const transport = new StdioClientTransport({
    command,
    args: [script, url, '--allow-http'],
    env,
    stderr: 'pipe',
  })
  let text = ''
  transport.stderr!.on('data', (bytes: Buffer) => (text += bytes.toString()))
  const client = new Client({ name: 'test', version: '1' })
  try {
    await Promise.all([client.connect(transport as never), connect(() => text)])
    return (await client.listTools()).tools.map(({ name }) => name)
  } finally {
    await client.close()
  }
}

const pythonOf: Record<'1' | '2', string> = {
  '1': `
import asyncio, json, sys
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
url, key, email, mode = sys.argv[1:]
async def main():
    async with streamablehttp_client(url, headers={"Authorization": "Bearer " + key}) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            called = await session.call_tool("check_capability", {"email": email})
            print(json.dumps({"tools": [tool.name for tool in tools], "text": called.content[0].text}))
asyncio.run(main())
`,
  '2': `
import asyncio, json, sys
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
url, key, email, mode = sys.argv[1:]
async def main():
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + key}) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            tools = (await client.list_tools()).tools
            called = await client.call_tool("check_capability", {"email": email})
            print(json.dumps({"tools": [tool.name for tool in tools], "text": called.content[0].text}))
asyncio.run(main())
`,
}

/** The official client in Python. @param mode  which revisions it tries */
export const python =
  (version: string, mode: string): Program =>
  async ({ url, key, email, home }) =>
    JSON.parse(
      await runPython(version, pythonOf[version[0] as '1' | '2'], [url, key, email, mode], home),
    ) as Listed

/** Runs a program in Python that can import a version of the official client. @returns what it prints */
export async function runPython(
  version: string,
  program: string,
  args: string[],
  home: string,
): Promise<string> {
  const folder = await installed(`python-mcp-${version}`, 'lib/mcp', async (making) => {
    const to = ['install', '--quiet', '--disable-pip-version-check', '--target', join(making, 'lib')]
    await finish('python3', ['-m', 'pip', ...to, `mcp==${version}`])
  })
  const { stdout } = await run('python3', ['-c', program, ...args], {
    env: { PATH: process.env['PATH']!, HOME: home, PYTHONPATH: join(folder, 'lib') },
    timeout: 60_000,
  })
  return stdout
}
