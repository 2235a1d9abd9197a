#!/usr/bin/env node
import { run } from '../lib/command-line.js'

const { env, stdout, stderr } = process
process.exitCode = await run(process.argv.slice(2), { env, stdout, stderr })
