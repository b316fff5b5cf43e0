/** `payments-sandbox scenario new`: writes a scenario template with a JSON schema, for completion and documentation in code editors. */
import { basename, isAbsolute, relative } from 'node:path'
import type { Command } from 'commander'
import { scenarioNameMaxLength, scenarioNamePattern, scenarioNameRule } from '../../protocol/platform/names.js'
import { writeOutput } from '../../runtime/node/files/output.js'
import { program } from '../../runtime/node/program.js'
import { addJsonFlag, print } from '../connection/connection.js'
import { UsageError } from '../errors.js'
import { bold, dim } from '../terminal/style.js'

const schemaFile = 'scenarios/scenario.schema.json'
const suffix = /\.(ya?ml|json)$/i

export function defineScenarioNew(command: Command): void {
  addJsonFlag(command)
    .description('write a scenario template with a schema for your editor')
    .argument('<name>', `${scenarioNameRule}; writes NAME.yaml`)
    .action(async (argument: string, flags: { json?: boolean }) => {
      const name = argument.replace(suffix, '')
      if (!scenarioNamePattern.test(name) || name.length > scenarioNameMaxLength)
        throw new UsageError(
          `${argument} is not a valid scenario name; use at most ${scenarioNameMaxLength} characters, ${scenarioNameRule}, such as late-refund`,
        )
      const file = `${name}.yaml`
      const schema = program.fileOf(schemaFile)
      await writeOutput({ file, kind: 'scenario' }, template(name, schemaPath(schema ?? basename(schemaFile))))
      if (schema === null) await writeEmbeddedSchema()
      const next = dim(`payments-sandbox scenario run ${file} --fast-forward`)
      print(flags, { name, file }, () => `${bold(file)} written; run it with ${next}\n`)
    })
}

/** The schema of the executable is no file, so editors get a copy beside the scenario. */
const writeEmbeddedSchema = () =>
  writeOutput({ file: basename(schemaFile), kind: 'scenarioSchema' }, program.read(schemaFile) ?? '')

/** Returns a relative path if the schema is in the project, so that the file can be shared. */
function schemaPath(schema: string): string {
  const path = relative(process.cwd(), schema)
  return path.startsWith('..') || isAbsolute(path) ? schema : `./${path.replaceAll('\\', '/')}`
}

const template = (name: string, schema: string) => `# yaml-language-server: $schema=${schema}
name: ${name}
title: A charge is paid, and refunded a day later

# API calls that start the scenario while it is armed. Without \`on\`, the scenario cannot be armed, only run.
# on: { operation: cashin, where: { currency: BRL, amount: ">= 10" } }

params:
  amount: 25

steps:
  - create: { cashin: { amount: "\${amount}", currency: BRL }, as: charge }
  - wait: 5s
  - cashin.pay: { payer: { name: Ana Souza } }
  - expect: { event: cashin.confirmed, within: 1s }
  - wait: 1d
  - cashin.refund: { reason: CUSTOMER_REQUEST }
  - expect: { status: refunded, id: "\${charge}" }
`
