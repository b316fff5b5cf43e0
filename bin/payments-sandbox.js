#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { argv, versions } = process
const [major, minor] = versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`payments-sandbox needs Node 20.19 or newer; this is Node ${versions.node}`)
  process.exitCode = 1
} else if (argv.length === 3 && (argv[2] === '--version' || argv[2] === '-V')) {
  // Asked for by every tool that looks whether it is there: not worth loading anything.
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
} else {
  const { runCached } = await import('./code-cache.js')
  runCached(fileURLToPath(new URL('../dist/program.cjs', import.meta.url)))
}
