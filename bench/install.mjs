/** Packs the package and installs it into an empty project without optional packages: the time that it takes, and its size on disk. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './process.mjs'
import { here, inFolder, rounds } from './sandbox.mjs'

const megabyte = 1024 * 1024

export const measure = (wants, report) =>
  inFolder(async (folder) => {
    const packed = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], here('..'))
    const tarball = join(folder, JSON.parse(packed)[0].filename)
    const seconds = []
    let sizeMb = 0
    for (let round = 0; round < rounds; round++) {
      const project = join(folder, `project-${round}`)
      mkdirSync(project)
      writeFileSync(join(project, 'package.json'), '{"private":true}')
      const startedMs = performance.now()
      npm(['install', '--omit=optional', '--no-audit', '--no-fund', tarball], project)
      seconds.push((performance.now() - startedMs) / 1000)
      sizeMb = bytesIn(join(project, 'node_modules')) / megabyte
    }
    if (wants('install')) report('install', median(seconds))
    if (wants('install-size')) report('install-size', sizeMb)
  })

/** Runs npm without the settings that `npm run` passes in variables. */
function npm(args, cwd) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

const bytesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
