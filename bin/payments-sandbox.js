#!/usr/bin/env node
// CommonJS, as the package.json beside it says: to load the first ES module takes Node an eighth of an empty start.
const { argv, versions } = process
const [major, minor] = versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`payments-sandbox needs Node 20.19 or newer; this is Node ${versions.node}`)
  process.exitCode = 1
} else if (argv.length === 3 && (argv[2] === '--version' || argv[2] === '-V')) {
  // Asked for by every tool that looks whether it is there: not worth loading anything.
  process.stdout.write(require('node:fs').readFileSync(require('node:path').join(__dirname, '../dist/version.txt')))
} else {
  const { runCached } = require('./code-cache.js')
  runCached(require('node:path').join(__dirname, '../dist/program.cjs'))
}
