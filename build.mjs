/** Bundles the dashboard, the command line and the library; better-sqlite3 stays outside, because it is compiled where it is installed. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { buildDashboard } from './scripts/build-dashboard.mjs'
import { buildProgram } from './scripts/build-program.mjs'
import { writeClientTypes } from './scripts/client-types.mjs'
import { writeDeclarations } from './scripts/declarations.mjs'

await writeClientTypes()
await buildDashboard()

// What earlier builds have left there, code caches too.
mkdirSync('dist', { recursive: true })
const made = ['binary', 'dashboard', 'index.cjs', 'index.js', 'program.cjs', 'types', 'workers']
for (const name of readdirSync('dist'))
  if (!made.includes(name)) rmSync(`dist/${name}`, { recursive: true, force: true })

await buildProgram()
writeDeclarations()

// `npm run dev`: build, then start what was built; node starts it over when a source changes.
if (process.argv.includes('--run')) {
  process.argv.splice(2, process.argv.length, 'start')
  await import('./bin/payments-sandbox.js')
}
