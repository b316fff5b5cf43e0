/** Adds a recording of the platform: masks it, compares it with the sandbox, and writes its file and its row of the index. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fidelityText } from '../../src/protocol/control/fidelity-text.js'
import { fidelityTiers } from '../../src/protocol/platform/documented-sentences.js'
import { emulatedInterface } from '../../src/protocol/platform/emulated-interface.js'
import {
  fidelityRows,
  type IndexedRecording,
  measureFidelity,
  recordingsIndex,
} from '../../src/protocol/platform/fidelity.js'
import { maskedRecording } from './mask.js'
import { observe } from './observe.js'

export interface AddOptions {
  /** The recording to add. */
  file: string
  /** The folder `recordings`. */
  folder: string
  /** Default: the day of the recording. */
  name?: string | undefined
  /** Whether only its results are stored, because only maintainers may see the file. */
  isPrivate: boolean
}

/** Returns a report. Throws an `Error` with a message for the user, and then has written nothing. */
export async function addRecording({ file, folder, name, isPrivate }: AddOptions): Promise<string> {
  const { text, omitted } = maskedRecording(JSON.parse(readFileSync(file, 'utf8')))
  const { date, exchanges, webhooks, agrees, differs } = await observe(text)
  const indexFile = join(folder, 'index.json')
  const { recordings, ...head } = recordingsIndex().parse(JSON.parse(readFileSync(indexFile, 'utf8')))
  const row: IndexedRecording = {
    name: name ?? date,
    date,
    documentation: emulatedInterface,
    tiers: fidelityTiers.filter((tier) =>
      fidelityRows.some((one) => one.tier === tier && (agrees.includes(one.id) || differs.includes(one.id))),
    ),
    visible_to: isPrivate ? 'maintainers' : 'everyone',
    ...{ exchanges, webhooks, agrees, differs },
  }
  const target = join(folder, `${row.name}.har`)
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(row.name)) throw new Error('--name must be lower-case words joined by hyphens')
  if (recordings.some((one) => one.name === row.name) || existsSync(target))
    throw new Error(`a recording named ${row.name} exists; choose another name with --name`)
  const all = [...recordings, row]
  if (!isPrivate) replaceFile(target, text)
  replaceFile(indexFile, `${JSON.stringify({ ...head, recordings: all }, null, 2)}\n`)
  const counts = `${exchanges} calls, ${webhooks} webhooks, ${omitted} parts left out`
  const figures = fidelityText(measureFidelity([], all)).split('. ')[0]
  return `added ${row.name}: ${counts}; ${agrees.length} rows agree, ${differs.length} differ\n${figures}`
}

/** A file is replaced whole or not at all. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
