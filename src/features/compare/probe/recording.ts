/** The recording of a run: every exchange redacted as the recorder does it, and written as a HAR file after each probe. */
import manifest from '../../../../package.json' with { type: 'json' }
import type { RunJob } from '../../../inside/handlers.js'
import { JobPipe, type Output, readInputFile, UnusableFile, writeOutput } from '../../../inside/node.js'
import { type Fields, fieldsIn, isoUtc, JsonPieces, UnexpectedJson } from '../../../inside/values.js'
import { harFields } from '../har/exchange.js'
import { spendingProbes } from './probes.js'
import type { Caller, Signed } from './signed.js'

interface Message {
  headers: (readonly [name: string, value: string])[]
  body: Uint8Array
}

/** A call and its answer, or a webhook and the answer to it. */
export interface PassedExchange {
  isWebhook: boolean
  /** Of a call. */
  caller?: Caller
  /** Of a call that requires a signature. */
  signed?: Signed
  /** Scheme, host and the path before `target`. */
  base: string
  target: string
  method: string
  request: Message
  answer: Message & { status: number; statusText: string }
  startedAtMs: number
  waitMs: number
}

interface Entry {
  startedDateTime: string
  /** The probe that caused it. */
  _probe: string
}

interface Written {
  text: string
  omitted: number
}

const withSize = ({ headers, body }: Message) => ({ headers, body, bodyBytes: body.length })

/** As the job of the recorder takes it, which redacts one exchange after the other in another thread. */
const passed = ({ request, answer, ...exchange }: Omit<PassedExchange, 'caller' | 'signed'>) => ({
  ...{ ...exchange, httpVersion: '1.1', receiveMs: 0 },
  ...{ request: withSize(request), answer: { ...answer, ...withSize(answer) } },
})

function logIn(text: string): Fields {
  try {
    return fieldsIn(fieldsIn(new JsonPieces([text]).value()).log)
  } catch (error) {
    if (error instanceof UnexpectedJson) return {}
    throw error
  }
}

export const probeOutput = (file: string): Output => ({ file, kind: 'recording', flag: '--out' })
const creator = 'payments-sandbox probe'

export class ProbeRecording {
  /** Its thread starts with the first exchange. */
  #redactor: JobPipe<ReturnType<typeof passed>, Written> | null = null
  #entries: Entry[] = []
  #omitted = 0
  /** When the run was continued. */
  #resumed: string[] = []
  readonly done = new Set<string>()
  /** The probe that runs. */
  started: string | null = null
  /** A probe that moves money and was interrupted. */
  interrupted: string[] = []
  /** Whether such a probe was interrupted in this run or before. */
  isInterrupted = false

  constructor(
    readonly target: string,
    /** Where it is written; null: nowhere. */
    readonly file: string | null,
    readonly runJob: RunJob,
  ) {}

  /** Continues the recording in the file, without the probes that were interrupted. Throws `UnusableFile`. */
  resume(file: string): void {
    const text = readInputFile('recording', file).toString('utf8')
    const {
      entries,
      creator: by,
      _probe: run,
      [harFields.interrupted]: wasInterrupted,
      [harFields.resumed]: resumed,
    } = logIn(text)
    const { target, done, started } = fieldsIn(run)
    if (fieldsIn(by).name !== creator || !Array.isArray(done) || !Array.isArray(entries))
      throw new UnusableFile(`${file} cannot be continued: it is not a recording of ${creator}`)
    if (target !== this.target)
      throw new UnusableFile(`${file} cannot be continued: its target is ${String(target)}; name another with --out`)
    for (const id of done) this.done.add(String(id))
    this.#resumed = [...(Array.isArray(resumed) ? resumed.map(String) : []), isoUtc(Date.now())]
    // This program wrote the entries.
    const all = entries as Entry[]
    this.interrupted = [String(started)].filter((id) => spendingProbes.has(id) && !this.done.has(id))
    this.isInterrupted = wasInterrupted === true || this.interrupted.length > 0
    this.#entries = all.filter(({ _probe: id }) => this.done.has(id))
  }

  /** The probe of an entry, by the number of the entry. */
  probeAt = (number: number): string => this.#entries[number - 1]?._probe ?? ''

  async add({ caller, signed, ...exchange }: PassedExchange, probe: string): Promise<void> {
    this.#redactor ??= new JobPipe(this.runJob, 'redact')
    const entry = await this.#redactor.send(passed(exchange))
    if (entry === null) return this.omit()
    this.#omitted += entry.omitted
    // The recorder writes an entry of HAR.
    const added: Entry = {
      ...(new JsonPieces([entry.text]).value() as Entry),
      // JSON has no undefined fields.
      ...{ _probe: probe, [harFields.caller]: caller, [harFields.signed]: signed },
    }
    // A webhook can arrive before the answer to its call.
    const at = this.#entries.findLastIndex((one) => one.startedDateTime <= added.startedDateTime)
    this.#entries.splice(at + 1, 0, added)
  }

  /** Counts a call without an answer. */
  omit(): void {
    this.#omitted++
  }

  text(): string {
    const log = {
      version: '1.2',
      creator: { name: creator, version: manifest.version },
      _probe: { target: this.target, done: [...this.done], started: this.started },
      pages: [],
      entries: this.#entries,
      [harFields.omitted]: this.#omitted,
      // JSON has no undefined fields.
      [harFields.interrupted]: this.isInterrupted || undefined,
      [harFields.resumed]: this.#resumed.length === 0 ? undefined : this.#resumed,
      [harFields.ended]: isoUtc(Date.now()),
    }
    return `${JSON.stringify({ log })}\n`
  }

  async save(): Promise<void> {
    if (this.file !== null) await writeOutput(probeOutput(this.file), this.text())
  }

  end = async (): Promise<void> => this.#redactor?.end()
}
