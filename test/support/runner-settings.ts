import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ToolCall } from './fake-models.ts'
import type { DrivenRunner } from './runner-binaries.ts'

/** Without a terminal, with every tool allowed by the runner itself: the gate alone decides. */
export const commands: Record<DrivenRunner, string[]> = {
  claude: ['-p', 'go', '--output-format', 'json'],
  codex: [
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    '--dangerously-bypass-hook-trust',
    'go',
  ],
  gemini: ['-m', 'gemini-2.5-flash', '--yolo', '-p', 'go'],
  opencode: ['run', 'go'],
}

/** How the model of each calls a tool of the server that is named `gate`. */
export const toolCalls: Record<DrivenRunner, Omit<ToolCall, 'input'>> = {
  claude: { name: 'mcp__gate__check_capability' },
  codex: { name: 'check_capability', namespace: 'mcp__gate' },
  gemini: { name: 'mcp_gate_check_capability' },
  opencode: { name: 'gate_check_capability' },
}

export const environments: Record<DrivenRunner, (models: string) => Record<string, string>> = {
  claude: (models) => ({
    ANTHROPIC_BASE_URL: models,
    ANTHROPIC_API_KEY: 'fake',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  codex: () => ({ FAKE_KEY: 'fake' }),
  gemini: (models) => ({
    GOOGLE_GEMINI_BASE_URL: models,
    GEMINI_API_KEY: 'fake',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  opencode: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
}

type Settings = { home: string; models: string; installed: string }

/** Writes the settings that a runner needs to work with the model on loopback, and with no other address. */
export const settle: Record<DrivenRunner, (settings: Settings) => void> = {
  claude: ({ home }) => writeJson(join(home, '.claude/settings.json'), { permissions: { allow: ['Bash'] } }),
  codex: ({ home, models }) =>
    write(
      join(home, '.codex/config.toml'),
      `model = "gpt-5"
model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "${models}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
`,
    ),
  gemini: ({ home }) =>
    writeJson(join(home, '.gemini/settings.json'), {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    }),
  opencode({ home, models, installed }) {
    const folder = join(home, '.config/opencode')
    const model = { name: 'fake', limit: { context: 100_000, output: 4_000 } }
    const options = { baseURL: `${models}/v1`, apiKey: 'fake' }
    writeJson(join(folder, 'opencode.json'), {
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      provider: { fake: { npm: '@ai-sdk/openai-compatible', options, models: { fake: model } } },
      model: 'fake/fake',
      small_model: 'fake/fake',
    })
    // Else it installs this package first, from the registry.
    writeJson(join(folder, 'package.json'), { dependencies: { '@opencode-ai/plugin': '1.18.33' } })
    cpSync(join(installed, 'package-lock.json'), join(folder, 'package-lock.json'))
    symlinkSync(join(installed, 'node_modules'), join(folder, 'node_modules'))
  },
}

const writeJson = (path: string, value: object): void => write(path, JSON.stringify(value))

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
