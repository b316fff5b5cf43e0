/** The command line and the library in one file of CommonJS: V8 can cache it as a whole, and no code lies in the package twice. What nobody asks for is not run. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

const doors = `
exports.run = () => require('./src/cli/main.ts')
exports.library = () => require('./src/testing/index.ts')
exports.fixtures = () => ({ ...require('./src/testing/fixtures/extensions.ts'), ...require('./src/testing/fixtures/wrapper.ts') })
exports.background = () => require('./src/runtime/node/background/main.ts').background()`

/** Modules that are not used here or that can be smaller, and what takes their place in both programs. */
const leftOut = [
  {
    // Checks answers of clients by writing programs at run time. We ask clients nothing.
    module: /[\\/]validation[\\/]ajv-provider\.js$/,
    contents: "export class AjvJsonSchemaValidator { getValidator() { throw new Error('clients are asked nothing') } }",
  },
  {
    // Calls of tools that clients come back for. Ours answer.
    module: /[\\/]experimental[\\/]tasks[\\/]server\.js$/,
    contents: 'export class ExperimentalServerTasks {}',
  },
  {
    // undici then takes its other parser, which runs on every processor. Answers to webhooks are short.
    module: /[\\/]llhttp[\\/]llhttp_simd-wasm\.js$/,
    contents: "throw new Error('left out')",
  },
  {
    // The parser that undici takes: it is stored deflated, in a third of the place.
    module: /[\\/]llhttp[\\/]llhttp-wasm\.js$/,
    contents: (text) => {
      const [, base64] = /'([\w+/=]{9999,})'/.exec(text)
      const deflated = deflateRawSync(Buffer.from(base64, 'base64'), { level: 9 }).toString('base64')
      return `module.exports = require('node:zlib').inflateRawSync(Buffer.from('${deflated}', 'base64'))`
    },
  },
  {
    // Begins with the numbers of the errors and of the kind of message, which are all that is used. Lists of methods, statuses and headers follow.
    module: /[\\/]llhttp[\\/]constants\.js$/,
    contents: (text) => text.slice(0, text.indexOf('exports.FLAGS = {')),
  },
  // Receivers are called by HTTP/1.1 only.
  { module: /[\\/]dispatcher[\\/]client-h2\.js$/, contents: 'module.exports = undefined' },
  {
    // The program knows its version and what it is; the rest is for npm.
    module: /(^|[\\/])package\.json$/,
    contents(text) {
      const { version, description } = JSON.parse(text)
      return `export default ${JSON.stringify({ version, description })}`
    },
  },
  // For exemplars, which our metrics do not have.
  { module: /[\\/]@opentelemetry[\\/]api[\\/].*index\.c?js$/, contents: 'module.exports = {}' },
  // For bodies that are forms. Webhooks are JSON.
  { module: /[\\/]undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/, contents: 'module.exports = undefined' },
  // Kinds of columns that SQLite does not have.
  { module: /[\\/]drizzle-orm[\\/]pg-core[\\/]columns[\\/]enum\.js$/, contents: 'export const isPgEnum = () => false' },
  // Edits and prints tokens of YAML. We parse documents and print values.
  { module: /[\\/]yaml[\\/]dist[\\/]parse[\\/]cst-(scalar|stringify|visit)\.js$/, contents: 'module.exports = {}' },
]

export const withoutUnused = {
  name: 'without-unused',
  setup(building) {
    for (const { module, contents } of leftOut)
      building.onLoad({ filter: module }, ({ path }) => ({
        contents: typeof contents === 'string' ? contents : contents(readFileSync(path, 'utf8')),
      }))
  },
}

/** A package that moves its files must not come back whole. */
function checkLeftOut({ inputs }) {
  const files = Object.keys(inputs)
  const [unmatched] = leftOut.filter(({ module }) => !files.some((file) => module.test(file)))
  if (unmatched !== undefined) throw new Error(`${unmatched.module} matches no module of dist/program.cjs`)
}

/** Returns the files that went into it. */
export async function buildProgram() {
  const { metafile } = await build({
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    external: ['better-sqlite3'],
    minify: true,
    // Node prints the line of an error that nobody caught: it must not be the whole program.
    lineLimit: 1500,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: root,
    format: 'cjs',
    stdin: { contents: doors, resolveDir: root },
    outfile: 'dist/program.cjs',
    plugins: [withoutUnused],
    define: { 'import.meta.url': '__importMetaUrl' },
    banner: { js: "const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  })
  checkLeftOut(metafile)
  if (readFileSync('dist/program.cjs').some((byte) => byte > 127))
    throw new Error('dist/program.cjs is not ASCII, as which bin/code-cache.js reads it')
  const names = Object.keys(createRequire(import.meta.url)('../dist/program.cjs').library())
  writeFileSync('dist/index.cjs', "module.exports = require('./program.cjs').library()\n")
  writeFileSync(
    'dist/index.js',
    `import program from './program.cjs'\nexport const { ${names.join(', ')} } = program.library()\n`,
  )
  return Object.keys(metafile.inputs)
}
