/** Reads a multipart body from the wire: fields are kept, files are measured and hashed as they pass, so that no upload takes more memory than another. */
import { sha256Stream } from '../../base/crypto.js'
import type { UploadedFile } from '../../core/endpoints/handler.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import {
  type BodyShare,
  brokenOff,
  declaredBytes,
  joined,
  overBudget,
  requireContentType,
  tooLarge,
} from '../bodies.js'
import { MultipartError, MultipartReader, type PartSink, parametersOf, textOf } from './multipart.js'

export interface Form {
  /** Text fields; the last of a name counts. */
  fields: Record<string, string>
  files: UploadedFile[]
}

/** As much of a file's beginning as tells its kind. */
const headBytes = 16

/** The form, or what is wrong with it: 413, 415, 400 INVALID_JSON, 503 where there is no room. */
export async function readForm(request: Request, bodyShare: BodyShare): Promise<Form | ApiError> {
  try {
    const boundary = boundaryOf(request.headers)
    if ((declaredBytes(request) ?? 0) > bodyLimits.multipartBytes) throw tooLarge(bodyLimits.multipartBytes)
    return await readParts(request, boundary, bodyShare)
  } catch (error) {
    if (error instanceof ApiError) return error
    if (error instanceof MultipartError) return unreadable(error.message)
    return brokenOff()
  }
}

function boundaryOf(headers: Headers): string {
  requireContentType(headers, ['multipart/form-data'])
  const boundary = parametersOf(headers.get('content-type') ?? '').parameters.get('boundary') ?? ''
  if (boundary.length < 1 || boundary.length > 70)
    throw unreadable('Content-Type has no boundary of 1 to 70 characters')
  return boundary
}

async function readParts(request: Request, boundary: string, bodyShare: BodyShare): Promise<Form> {
  const { sink, form } = collector(bodyShare)
  const parts = new MultipartReader(boundary, sink)
  const reader = request.body?.getReader()
  let size = 0
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      size += next.value.length
      if (size > bodyLimits.multipartBytes) throw tooLarge(bodyLimits.multipartBytes)
      parts.push(next.value)
    }
  } catch (error) {
    // What is wrong is known: the rest need not come.
    void reader?.cancel().catch(() => undefined)
    throw error
  }
  parts.end()
  return form()
}

/** Fields take room, together as much as any JSON body may; files pass through. */
function collector(bodyShare: BodyShare): { sink: PartSink; form: () => Form } {
  const fields = new Map<string, Uint8Array[]>()
  const files: { name: string; finish: () => UploadedFile }[] = []
  let fieldBytes = 0
  const keep = (pieces: Uint8Array[]) => (bytes: Uint8Array) => {
    fieldBytes += bytes.length
    if (fieldBytes > bodyLimits.jsonBytes) throw tooLarge(bodyLimits.jsonBytes)
    if (!bodyShare.take(bytes.length)) throw overBudget()
    pieces.push(bytes.slice())
  }
  const sink: PartSink = {
    part(name, filename) {
      if (filename === null) {
        const pieces: Uint8Array[] = []
        fields.set(name, pieces)
        return keep(pieces)
      }
      const { write, finish } = measured(filename)
      files.push({ name: filename, finish })
      return write
    },
  }
  return {
    sink,
    form: () => ({
      fields: Object.fromEntries([...fields].map(([name, pieces]) => [name, textOf(joined(pieces))])),
      files: files.map(({ finish }) => finish()),
    }),
  }
}

function measured(name: string): { write: (bytes: Uint8Array) => void; finish: () => UploadedFile } {
  const hash = sha256Stream()
  let head = new Uint8Array(0)
  let size = 0
  return {
    write(bytes) {
      if (head.length < headBytes) head = joined([head, bytes.subarray(0, headBytes - head.length)])
      size += bytes.length
      hash.update(bytes)
    },
    finish: () => ({ name, size, sha256: hash.hex(), head }),
  }
}

const unreadable = (reason: string) =>
  new ApiError('INVALID_JSON', { reason }, { message: 'The body is not readable multipart/form-data.' })
