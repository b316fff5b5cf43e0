/** `payments-sandbox collection`: writes every endpoint for Postman or Bruno, with scripts that fetch tokens and sign. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command, Option } from 'commander'
import { reasonOf, UnusableFile } from '../../runtime/node/files/input.js'
import { checkOutput, type OutputKindName, writeOutput } from '../../runtime/node/files/output.js'
import {
  brunoFiles,
  folders,
  postmanCollection,
  postmanEnvironment,
  postmanName,
  type Variables,
} from '../collection.js'
import {
  accountNamed,
  addConnectionFlags,
  adminTokenOf,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  credentialOf,
  print,
} from '../command.js'
import { bold, dim } from '../terminal/style.js'

interface Flags extends ConnectionFlags {
  format: 'postman' | 'bruno'
  out: string
  account?: string
}

export const usages: CommandUsages = {
  collection: {
    jsonOutputs: [{ shape: 'collection' }],
    examples: {
      'payments-sandbox collection --format postman --out sandbox.postman_collection.json':
        'write a Postman collection, and its environment beside it',
      'payments-sandbox collection --format bruno --out bruno': 'write a Bruno collection into a folder',
    },
  },
}

export function define(command: Command): void {
  addConnectionFlags(command)
    .addOption(new Option('--format <format>', 'postman or bruno').choices(['postman', 'bruno']).makeOptionMandatory())
    .requiredOption('--out <path>', 'output folder, or a .json file with --format postman')
    .option('--account <username>', 'account whose credentials the environment contains (default: the first account)')
    .action(async (flags: Flags) => {
      const files = filesOf(flags, await variablesOf(flags))
      const outputs = files.map(({ path, kind }) => ({ file: path, kind, flag: '--out' }))
      for (const { file } of outputs) makeFolder(dirname(file))
      // All are checked before the first is written, so that a collection is not half replaced.
      for (const output of outputs) checkOutput(output)
      for (const [index, output] of outputs.entries()) await writeOutput(output, files[index]?.text ?? '')
      const calls = folders().reduce((sum, folder) => sum + folder.calls.length, 0)
      const written = { format: flags.format, calls, files: files.map(({ path }) => path) }
      print(flags, written, () => describe(flags, written))
    })
}

async function variablesOf(flags: Flags): Promise<Variables> {
  const sandbox = connect(flags)
  const { client_id, client_secret, signing_key } = credentialOf(await accountNamed(sandbox, flags.account))
  return { base_url: sandbox.url, client_id, client_secret, signing_key, admin_token: adminTokenOf(flags) ?? '' }
}

interface CollectionFile {
  path: string
  kind: OutputKindName
  text: string
}

function filesOf({ format, out }: Flags, variables: Variables): CollectionFile[] {
  if (format === 'bruno')
    return brunoFiles(folders(), variables).map(({ path, text }) => ({
      path: join(out, path),
      kind: kindOf(path),
      text,
    }))
  const isFolder = !out.endsWith('.json') || (existsSync(out) && statSync(out).isDirectory())
  const file = isFolder ? join(out, `${postmanName}.postman_collection.json`) : out
  const environment = `${file.replace(/(\.postman_collection)?\.json$/, '')}.postman_environment.json`
  return [
    { path: file, kind: 'postmanCollection', text: postmanCollection(folders()) },
    { path: environment, kind: 'postmanEnvironment', text: postmanEnvironment(variables) },
  ]
}

function kindOf(path: string): OutputKindName {
  if (path === 'bruno.json') return 'brunoCollection'
  return path.startsWith('environments/') ? 'brunoEnvironment' : 'brunoFile'
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new UnusableFile(`the folder ${folder} cannot be created: ${reasonOf(error)}; name another with --out`)
  }
}

function describe({ format, out }: Flags, { calls, files }: { calls: number; files: string[] }): string {
  const [file = '', environment = ''] = files
  const run =
    format === 'bruno'
      ? `cd ${out} && npx @usebruno/cli run -r --env sandbox`
      : `npx newman run ${file} -e ${environment}`
  return `${bold(String(calls))} calls written to ${format === 'bruno' ? `${out} (${files.length} files)` : `${file} and ${environment}`}\nThe environment contains the credentials of the sandbox. Run all calls with ${dim(run)}\n`
}
