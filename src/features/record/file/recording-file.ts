/**
 * The file of a recording: complete JSON after every entry. An entry is written over the closing brackets together with
 * new ones, in one write at a position, so that a killed process leaves a file without its last exchange at most.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import manifest from '../../../../package.json' with { type: 'json' }
import { isStream, type Output, reasonOf, UnusableFile, writeOutput } from '../../../inside/node.js'
import { codeOf } from '../../../inside/values.js'

const creator = { name: 'payments-sandbox record', version: manifest.version }
const headStart = JSON.stringify({ log: { version: '1.2', creator } }).slice(0, -2)
/** The process that records, while it does. Always of the same length, so that it can be overwritten. */
const processField = (pid: number | null) => `,"_process":${String(pid).padStart(10)}`
const headEnd = ',"pages":[],"entries":['
const headOf = (pid: number | null) => headStart + processField(pid) + headEnd
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
  #at = Buffer.byteLength(headOf(null))
  #entries = 0
  #counts: Counts = { omitted: 0, masked: 0 }
  #isFailing = false
  #isClosed = false

  private constructor(
    private fd: number,
    private readonly file: string,
    private readonly onFault: (message: string) => void,
  ) {}

  /** Creates an empty recording, completely or not at all, and continues in it. */
  static async create(file: string, onFault: (message: string) => void): Promise<RecordingFile> {
    requireNoRecorder(file)
    const { sizeBytes } = await writeOutput(
      recordingOutput(file),
      headOf(process.pid) + endWith({ omitted: 0, masked: 0 }),
    )
    const fd = openSync(file, 'r+')
    if (fstatSync(fd).size === sizeBytes) return new RecordingFile(fd, file, onFault)
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
    this.#isFailing = false
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
      this.#findFile()
      if (writeSync(this.fd, bytes, 0, bytes.length, this.#at) < bytes.length) throw new Error('the disk is full')
      return true
    } catch (error) {
      this.#restore()
      if (!this.#isFailing)
        this.onFault(`the recording cannot be written: ${reasonOf(error)}; calls are forwarded without being recorded`)
      this.#isFailing = true
      return false
    }
  }

  /** A deleted file is written anew with everything that it had; a file in its place stays. */
  #findFile(): void {
    const own = fstatSync(this.fd)
    const found = statSync(this.file, { throwIfNoEntry: false })
    if (found?.ino === own.ino && found.dev === own.dev) return
    if (found !== undefined) throw new Error('another file has taken its place')
    const content = Buffer.alloc(own.size)
    const size = readSync(this.fd, content, 0, own.size, 0)
    const fd = openSync(this.file, 'wx+')
    closeSync(this.fd)
    this.fd = fd
    writeSync(fd, content, 0, size, 0)
    this.onFault(`${this.file} was deleted; the recording is written there anew`)
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
    const free = Buffer.from(processField(null))
    try {
      this.#findFile()
      writeSync(this.fd, free, 0, free.length, Buffer.byteLength(headStart))
    } catch (error) {
      this.onFault(`the recording cannot be completed: ${reasonOf(error)}`)
    }
    this.#isClosed = true
    try {
      fsyncSync(this.fd)
    } finally {
      closeSync(this.fd)
    }
  }
}

/** Throws `UnusableFile` if a living process records into the file. */
function requireNoRecorder(file: string): void {
  const pid = recorderOf(file)
  // A recorder that was killed had our own number: in a container each program can be the first process.
  if (pid === null || pid === process.pid || !isAlive(pid)) return
  throw new UnusableFile(
    `${file} cannot be written: process ${pid} records into it; stop that process, or name another file with --out`,
  )
}

function recorderOf(file: string): number | null {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null
  const fd = openSync(file, 'r')
  try {
    const start = Buffer.alloc(1024)
    readSync(fd, start)
    const [, pid] = /"_process": *(\d{1,10}),/.exec(start.toString()) ?? []
    return pid === undefined ? null : Number(pid)
  } finally {
    closeSync(fd)
  }
}

/** Another program can have the number of a recorder that was killed. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('record')
  } catch {
    return true
  }
}
