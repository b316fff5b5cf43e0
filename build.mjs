/** Bundles the dashboard, the command line and the library. better-sqlite3 is not bundled, because it is compiled where it is installed. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { buildDashboard } from './scripts/build-dashboard.mjs'
import { buildProgram } from './scripts/build-program.mjs'
import { writeClientTypes } from './scripts/client-types.mjs'
import { writeDeclarations } from './scripts/declarations.mjs'
import { writeNotices } from './scripts/notices.mjs'

await writeClientTypes()
const pageInputs = await buildDashboard()

// Deletes the leftovers of earlier builds, including code caches.
mkdirSync('dist', { recursive: true })
const outputs = ['binary', 'dashboard', 'index.cjs', 'index.js', 'program.cjs', 'types', 'version.txt', 'workers']
for (const name of readdirSync('dist'))
  if (!outputs.includes(name)) rmSync(`dist/${name}`, { recursive: true, force: true })

writeNotices([...pageInputs, ...(await buildProgram())])
writeDeclarations()

// `npm run dev` starts the built program; Node restarts it when a source changes.
if (process.argv.includes('--run')) {
  process.argv.splice(2, process.argv.length, 'start')
  await import('./bin/payments-sandbox.js')
}
