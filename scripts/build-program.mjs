/** Bundles the command line and the library into one CommonJS file. V8 caches it as a whole, and the package holds no code twice. A module runs only when it is used. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { bundled } from './bundled.mjs'
import { withoutExceptionLines } from './without-exception-lines.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const outfile = `${root}dist/program.cjs`

/** What the bundle exports. */
export const doors = `
exports.run = () => require('./src/cli/main.ts')
exports.library = () => require('./src/testing/index.ts')
exports.fixtures = () => ({ ...require('./src/testing/fixtures/extensions.ts'), ...require('./src/testing/fixtures/wrapper.ts') })
exports.background = () => require('./src/runtime/node/background/main.ts').background()`

/** Modules that both programs do not use or can shrink, with their replacements. `of`: only a feature uses this package. */
const leftOut = [
  {
    // Compiles validators for the answers of MCP clients. Our server asks clients no questions.
    of: '@modelcontextprotocol',
    module: /[\\/]validation[\\/]ajv-provider\.js$/,
    contents:
      "export class AjvJsonSchemaValidator { getValidator() { throw new Error('this server asks no questions') } }",
  },
  {
    // MCP tool calls whose result clients fetch later. Our tools respond at once.
    of: '@modelcontextprotocol',
    module: /[\\/]experimental[\\/]tasks[\\/]server\.js$/,
    contents: 'export class ExperimentalServerTasks {}',
  },
  {
    // Without it undici uses its other parser, which runs on every processor. Responses to webhooks are short, so speed does not matter.
    module: /[\\/]llhttp[\\/]llhttp_simd-wasm\.js$/,
    contents: "throw new Error('left out')",
  },
  {
    // The parser that undici uses. Compressed, it takes a quarter of the space.
    module: /[\\/]llhttp[\\/]llhttp-wasm\.js$/,
    contents: (text) => {
      const [, base64] = /'([\w+/=]{9999,})'/.exec(text)
      const compressed = brotliCompressSync(Buffer.from(base64, 'base64')).toString('base64')
      return `module.exports = require('node:zlib').brotliDecompressSync(Buffer.from('${compressed}', 'base64'))`
    },
  },
  {
    // Only the error numbers and message types at the beginning are used. The lists of methods, statuses and headers after them are cut.
    module: /[\\/]llhttp[\\/]constants\.js$/,
    contents: (text) => text.slice(0, text.indexOf('exports.FLAGS = {')),
  },
  // The sandbox calls receivers by HTTP/1.1 only.
  { module: /[\\/]dispatcher[\\/]client-h2\.js$/, contents: 'module.exports = undefined' },
  {
    // The program uses only version and description; npm uses the rest.
    module: /(^|[\\/])package\.json$/,
    contents(text) {
      const { version, description } = JSON.parse(text)
      return `export default ${JSON.stringify({ version, description })}`
    },
  },
  // Used for exemplars, which our metrics do not have.
  { module: /[\\/]@opentelemetry[\\/]api[\\/].*index\.c?js$/, contents: 'module.exports = {}' },
  // Used for form bodies. Webhooks are JSON.
  { module: /[\\/]undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/, contents: 'module.exports = undefined' },
  // Column types that SQLite does not have.
  { module: /[\\/]drizzle-orm[\\/]pg-core[\\/]columns[\\/]enum\.js$/, contents: 'export const isPgEnum = () => false' },
  // Edits and prints YAML tokens. We only parse documents and print values.
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

/** Fails if a package has moved a file, because its replacement would no longer apply. */
function checkLeftOut({ inputs }) {
  const files = Object.keys(inputs)
  const isBundled = (name) => files.some((file) => file.includes(`node_modules/${name}/`))
  const rows = leftOut.filter(({ of }) => of === undefined || isBundled(of))
  const [unmatched] = rows.filter(({ module }) => !files.some((file) => module.test(file)))
  if (unmatched !== undefined) throw new Error(`${unmatched.module} matches no module of dist/program.cjs`)
}

const options = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external: ['better-sqlite3'],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  absWorkingDir: root,
  format: 'cjs',
  stdin: { contents: doors, resolveDir: root },
  outfile,
  plugins: [withoutUnused],
  define: { 'import.meta.url': '__importMetaUrl' },
  banner: { js: "const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
}

/** Returns the source files that dist/program.cjs is bundled of. */
export const programInputs = async () => Object.keys((await build({ ...options, write: false })).metafile.inputs)

/** Writes dist/program.cjs, the library's entry files and what `--version` prints. Returns the bundled source files. */
export async function buildProgram() {
  const { metafile } = await build(options)
  checkLeftOut(metafile)
  writeFileSync(outfile, withoutExceptionLines(readFileSync(outfile, 'utf8')))
  if (readFileSync('dist/program.cjs').some((byte) => byte > 127))
    throw new Error('dist/program.cjs has bytes outside ASCII; bin/code-cache.js reads it as Latin-1')
  const names = Object.keys(createRequire(import.meta.url)('../dist/program.cjs').library())
  writeFileSync('dist/index.cjs', "module.exports = require('./program.cjs').library()\n")
  writeFileSync(
    'dist/index.js',
    `import program from './program.cjs'\nexport const { ${names.join(', ')} } = program.library()\n`,
  )
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const { emulatedInterfaceText } = await bundled('src/protocol/platform/emulated-interface.ts')
  writeFileSync('dist/version.txt', `${version}\n${emulatedInterfaceText}\n`)
  return Object.keys(metafile.inputs)
}
