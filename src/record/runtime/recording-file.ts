/**
 * The file of a recording: complete JSON after every entry. An entry is written over the closing brackets together with
 * new ones, in one write at a position, so that a killed process leaves a file without its last exchange at most.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import manifest from '../../../package.json' with { type: 'json' }
import { isStream, type Output, writeOutput } from '../../runtime/node/files/output.js'
import { reasonOf, UnusableFile } from '../../runtime/node/files/unusable.js'

const creator = { name: 'payments-sandbox record', version: manifest.version }
const head = `${JSON.stringify({ log: { version: '1.2', creator, pages: [] } }).slice(0, -2)},"entries":[`
const endWith = ({ omitted, masked }: Counts) => `\n],"_omitted":${omitted},"_masked":${masked}}}\n`

/** Parts that are left out, and values that are masked only because they look random. */
interface Counts {
  omitted: number
  masked: number
}

export const recordingOutput = (file: string): Output => ({ file, kind: 'recording', flag: '--out' })

/** Run before anything listens. Throws `UnusableFile` if the file cannot become a recording. */
export function requireFile(file: string): void {
  if (isStream(file))
    throw new UnusableFile(`${file} cannot be written: it is not a regular file; name a file with --out`)
}

export class RecordingFile {
  /** Position of the closing brackets. */
  #at = Buffer.byteLength(head)
  #entries = 0
  #counts: Counts = { omitted: 0, masked: 0 }
  #isFailing = false
  #isClosed = false

  private constructor(
    private readonly fd: number,
    private readonly onFault: (message: string) => void,
  ) {}

  /** Creates an empty recording, completely or not at all, and continues in it. */
  static async create(file: string, onFault: (message: string) => void): Promise<RecordingFile> {
    const { sizeBytes } = await writeOutput(recordingOutput(file), head + endWith({ omitted: 0, masked: 0 }))
    const fd = openSync(file, 'r+')
    if (fstatSync(fd).size === sizeBytes) return new RecordingFile(fd, onFault)
    closeSync(fd)
    throw new UnusableFile(`${file} cannot be written: another process writes to it; name another file with --out`)
  }

  get counts(): Counts {
    return this.#counts
  }

  /** Never throws, because calls must pass even if the disk fails. */
  add({ text: entry, omitted, masked }: Counts & { text: string }): boolean {
    const text = `${this.#entries === 0 ? '' : ','}\n${entry}`
    const counts = { omitted: this.#counts.omitted + omitted, masked: this.#counts.masked + masked }
    const bytes = Buffer.from(text + endWith(counts))
    if (!this.#write(bytes)) {
      this.omit()
      return false
    }
    this.#counts = counts
    this.#entries++
    this.#at += Buffer.byteLength(text)
    return true
  }

  /** Counts something omitted. */
  omit(): void {
    this.#counts = { ...this.#counts, omitted: this.#counts.omitted + 1 }
    this.#write(Buffer.from(endWith(this.#counts)))
  }

  #write(bytes: Buffer): boolean {
    if (this.#isClosed) return false
    try {
      if (writeSync(this.fd, bytes, 0, bytes.length, this.#at) < bytes.length) throw new Error('the disk is full')
      this.#isFailing = false
      return true
    } catch (error) {
      this.#restore()
      if (!this.#isFailing)
        this.onFault(`the recording cannot be written: ${reasonOf(error)}; calls are forwarded without being recorded`)
      this.#isFailing = true
      return false
    }
  }

  /** The brackets fit into their former place even on a full disk. */
  #restore(): void {
    try {
      const bytes = Buffer.from(endWith(this.#counts))
      writeSync(this.fd, bytes, 0, bytes.length, this.#at)
      ftruncateSync(this.fd, this.#at + bytes.length)
    } catch {
      // The next write tries again.
    }
  }

  close(): void {
    this.#isClosed = true
    try {
      fsyncSync(this.fd)
    } finally {
      closeSync(this.fd)
    }
  }
}
