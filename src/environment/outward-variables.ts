import { z } from 'zod'
import { host, httpUrl, reachable, says, text, whole } from './forms.ts'

/** What executors and MCP servers behind the gate are called by. */
export const outward = {
  EXECUTOR_ALLOW: reachable
    .optional()
    .meta(
      says(
        'What calls of executors, MCP servers, and mail servers and workflows of accounts may reach beside the internet: networks (`10.1.0.0/16`), addresses, host names (`executor.internal`). Every account of the service may then have calls made there. Plain http stays for this machine only.',
        'nothing; in the sandbox, this machine (`127.0.0.0/8,::1`)',
      ),
    ),
  UPSTREAM_COMMANDS: text
    .meta({ form: 'file' })
    .optional()
    .meta(
      says(
        'A JSON file of the operator with the commands that may be started as MCP servers. Servers at an address need none.',
        'no command is started',
      ),
    ),
}

/** What a process tells about itself. */
export const telemetry = {
  METRICS_PORT: whole(0, 65_535)
    .optional()
    .meta(
      says(
        'Port of `/metrics`, for Prometheus. 0 takes any free port. Processes on one machine need one each. [Telemetry](telemetry.md)',
        'no metrics',
      ),
    ),
  METRICS_HOST: host
    .default('127.0.0.1')
    .meta(
      says(
        'Where `/metrics` listens. It asks nobody who they are: another address than loopback belongs in a private network.',
      ),
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .meta(
      says(
        'The OpenTelemetry collector that gets traces, OTLP over HTTP: `/v1/traces` is added.',
        'no traces',
      ),
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .meta(says('The same, with its path. Has priority.', 'no traces')),
}

/** The server of workflows. */
export const temporal = {
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s:/]+:\d+$/, 'must be host:port')
    .meta({ form: 'host:port' })
    .optional()
    .meta(says('The Temporal server.', '`npm start` brings its own')),
  TEMPORAL_NAMESPACE: text.default('default').meta(says('The Temporal namespace.')),
  TEMPORAL_UI_URL: httpUrl
    .optional()
    .meta(says('Base of the links to the Temporal UI.', 'no links, except with the embedded server')),
}
