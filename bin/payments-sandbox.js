#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) import('../dist/cli.js')
else {
  console.error(`payments-sandbox needs Node 20.19 or newer; this is Node ${process.versions.node}`)
  process.exitCode = 1
}
