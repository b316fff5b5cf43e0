/** `payments-sandbox chaos`: shows, sets and ends random faults. */

import type { Command } from 'commander'
import { isKeyOf } from '../../base/keys.js'
import { suggestion } from '../../base/text.js'
import type { Chaos } from '../../client/types/control.js'
import {
  chaosFaultNames,
  chaosFaults,
  chaosPresetNames,
  chaosPresets,
  isTimedFault,
} from '../../protocol/settings/chaos.js'
import {
  addConnectionFlags,
  addDefaultAction,
  type CommandUsages,
  type ConnectionFlags,
  connect,
  print,
  subcommand,
} from '../command.js'
import { UsageError } from '../errors.js'
import { type Column, dim, table } from '../terminal/style.js'

export const usages: CommandUsages = {
  chaos: {
    jsonOutputs: [{ route: 'readChaos' }],
    examples: { 'payments-sandbox chaos': 'show the random faults and the rate of each fault' },
  },
  'chaos set': {
    jsonOutputs: [{ route: 'setChaos' }],
    examples: {
      'payments-sandbox chaos set rough': 'inject every kind of fault, often',
      'payments-sandbox chaos set error=1% slow=5%:3s late=1%:2m':
        'set the rates of these faults; the other faults do not change',
      'payments-sandbox chaos set seed=build-18': 'use another random seed: the same rates, but faults on other calls',
    },
  },
  'chaos off': {
    jsonOutputs: [{ route: 'endChaos' }],
    examples: { 'payments-sandbox chaos off': 'stop injecting faults' },
  },
}

export function define(command: Command): void {
  const read = async (flags: ConnectionFlags) => print(flags, await connect(flags).call('GET /chaos'), format)
  subcommand(command, 'set', 'inject these faults from now on')
    .argument('<fault...>', 'error=1%, slow=5%:3s, seed=TEXT, only=FAULT_ID,FAULT_ID, or a preset: gentle, rough, off')
    .addHelpText('after', faults())
    .action(async (words: string[], flags: ConnectionFlags) => {
      const sandbox = connect(flags)
      const changes = changesOf(words)
      const body = { ...(await sandbox.call('GET /chaos')), ...changes }
      print(flags, await sandbox.call('PUT /chaos', { body }), format)
    })
  subcommand(command, 'off', 'stop injecting faults').action(async (flags: ConnectionFlags) =>
    print(flags, await connect(flags).call('DELETE /chaos'), format),
  )
  addDefaultAction<ConnectionFlags>(addConnectionFlags(command), 0, async (_word, flags) => read(flags))
}

function faults(): string {
  const width = Math.max(...chaosFaultNames.map((name) => name.length))
  const rows = chaosFaultNames.map((name) => `  ${name.padEnd(width)}  ${chaosFaults[name].title.toLowerCase()}`)
  return ['', 'Faults:', ...rows, '', 'slow and late require a duration: slow=5%:3s.'].join('\n')
}

/** Returns the changed faults. A preset also ends the faults that it does not have. */
function changesOf(words: readonly string[]): Chaos {
  const changes: Chaos = {}
  for (const word of words) {
    if (isKeyOf(chaosPresets, word)) Object.assign(changes, noFaults, chaosPresets[word])
    else Object.assign(changes, changeOf(word))
  }
  return changes
}

const noFaults: Chaos = { only: undefined, ...Object.fromEntries(chaosFaultNames.map((name) => [name, undefined])) }

/** The sandbox validates shares and durations. */
function changeOf(word: string): Chaos {
  const [name = '', value = '', ...more] = word.split('=')
  if (value === '' || more.length > 0)
    throw new UsageError(
      `a fault must have the form error=1%, or be one of ${chaosPresetNames.join(', ')}; not ${word}`,
    )
  if (name === 'seed') return { seed: value }
  if (name === 'only') return { only: value.split(',') }
  if (!isKeyOf(chaosFaults, name))
    throw new UsageError(`${name} is not a fault${suggestion(name, [...chaosFaultNames, 'seed', 'only'])}`)
  const [share = '', by, ...rest] = value.split(':')
  if (!isTimedFault(name)) return { [name]: value }
  if (by === undefined || by === '' || rest.length > 0)
    throw new UsageError(`${name} requires a rate and a duration, such as ${name}=5%:3s; not ${word}`)
  return { [name]: { share, by } }
}

interface Row {
  fault: string
  share: string
  by: string | null
}

const columns: readonly Column<Row>[] = [
  { title: 'FAULT', of: (row) => row.fault },
  { title: 'RATE', of: (row) => row.share, align: 'right' },
  { title: 'DELAY', of: (row) => row.by },
]

function format(chaos: Chaos): string {
  const rows = chaosFaultNames.flatMap((fault): Row[] => {
    const value = chaos[fault]
    if (value === undefined) return []
    return typeof value === 'string'
      ? [{ fault, share: value, by: null }]
      : [{ fault, share: value.share, by: String(value.by) }]
  })
  if (rows.length === 0) return 'chaos is off\n'
  const only = chaos.only === undefined ? '' : `, only ${chaos.only.join(', ') || 'no fault'}`
  return `${table(columns, rows, '')}${dim(`seed ${chaos.seed ?? ''}${only}`)}\n`
}
