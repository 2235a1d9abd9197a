import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/process/root.ts'
import { withAdminRoutes } from './admin-routes-table.ts'
import { withClients } from './clients-part.ts'
import { configurationPage } from './configuration-page.ts'
import { withEvents } from './events-table.ts'
import { withMetrics } from './metrics-table.ts'
import { withResults } from './results-table.ts'
import { withRooms } from './rooms-table.ts'

const architecture = join(projectRoot, 'docs', 'architecture.md')
writeFileSync(join(projectRoot, 'docs', 'configuration.md'), configurationPage())
writeFileSync(architecture, withRooms(readFileSync(architecture, 'utf8')))
const performance = join(projectRoot, 'docs', 'performance.md')
writeFileSync(performance, withResults(readFileSync(performance, 'utf8')))
const telemetry = join(projectRoot, 'docs', 'telemetry.md')
writeFileSync(telemetry, withMetrics(readFileSync(telemetry, 'utf8')))
const clients = join(projectRoot, 'docs', 'connect-an-agent.md')
writeFileSync(clients, withClients(readFileSync(clients, 'utf8')))
const administration = join(projectRoot, 'docs', 'admin-api.md')
writeFileSync(administration, withAdminRoutes(readFileSync(administration, 'utf8')))
const events = join(projectRoot, 'docs', 'event-types.md')
writeFileSync(events, withEvents(readFileSync(events, 'utf8')))
