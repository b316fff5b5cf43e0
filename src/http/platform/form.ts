/**
 * Reads a multipart body as a stream. Fields are stored; files are only measured and hashed as they pass, so memory
 * does not depend on the size of an upload.
 */

import { chunksWithin, joinChunks } from '../../base/bytes.js'
import { sha256Stream } from '../../base/crypto.js'
import { MultipartError, MultipartReader, type PartSink, parseHeaderValue, textOf } from '../../base/multipart.js'
import type { UploadedFile } from '../../core/operations/transactions.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import type { MemoryShare } from '../host.js'
import {
  bodyBudgetError,
  bodyTooLargeError,
  type CallHeaders,
  declaredBytes,
  type HttpRequest,
  incompleteBodyError,
  requireContentType,
} from '../messages.js'

export interface MultipartForm {
  /** Text fields; if a name occurs several times, the last one counts. */
  fields: Record<string, string>
  files: UploadedFile[]
}

/** First bytes of a file, enough to recognize its type. */
const headBytes = 16

/** Returns the form or an error: 413, 415, 400 INVALID_JSON, or 503 if the body budget is exhausted. */
export async function readForm(request: HttpRequest, memoryShare: MemoryShare): Promise<MultipartForm | ApiError> {
  try {
    const boundary = boundaryOf(request.headers)
    if ((declaredBytes(request) ?? 0) > bodyLimits.multipartBytes) throw bodyTooLargeError(bodyLimits.multipartBytes)
    return await readParts(request, boundary, memoryShare)
  } catch (error) {
    if (error instanceof ApiError) return error
    if (error instanceof MultipartError) return unreadableForm(error.message)
    return incompleteBodyError()
  }
}

function boundaryOf(headers: CallHeaders): string {
  requireContentType(headers, ['multipart/form-data'])
  const boundary = parseHeaderValue(headers.get('content-type') ?? '').parameters.get('boundary') ?? ''
  if (boundary.length < 1 || boundary.length > 70)
    throw unreadableForm('Content-Type has no boundary of 1 to 70 characters')
  return boundary
}

async function readParts(request: HttpRequest, boundary: string, memoryShare: MemoryShare): Promise<MultipartForm> {
  const { sink, form } = createCollector(memoryShare)
  const parts = new MultipartReader(boundary, sink)
  const { multipartBytes } = bodyLimits
  for await (const chunk of chunksWithin(request.body, multipartBytes, () => bodyTooLargeError(multipartBytes)))
    parts.push(chunk)
  parts.end()
  return form()
}

/** Stores the fields, together at most as many bytes as a JSON body, and counts them in the body budget. Files are not stored. */
function createCollector(memoryShare: MemoryShare): { sink: PartSink; form: () => MultipartForm } {
  const fields = new Map<string, Uint8Array[]>()
  const files: { name: string; finish: () => UploadedFile }[] = []
  let fieldBytes = 0
  const storeField = (pieces: Uint8Array[]) => (bytes: Uint8Array) => {
    fieldBytes += bytes.length
    if (fieldBytes > bodyLimits.jsonBytes) throw bodyTooLargeError(bodyLimits.jsonBytes)
    if (!memoryShare.take(bytes.length)) throw bodyBudgetError()
    pieces.push(bytes.slice())
  }
  const sink: PartSink = {
    part(name, filename) {
      if (filename === null) {
        const pieces: Uint8Array[] = []
        fields.set(name, pieces)
        return storeField(pieces)
      }
      const { write, finish } = measureFile(filename)
      files.push({ name: filename, finish })
      return write
    },
  }
  return {
    sink,
    form: () => ({
      fields: Object.fromEntries([...fields].map(([name, pieces]) => [name, textOf(joinChunks(pieces))])),
      files: files.map(({ finish }) => finish()),
    }),
  }
}

function measureFile(name: string): { write: (bytes: Uint8Array) => void; finish: () => UploadedFile } {
  const hash = sha256Stream()
  let head = new Uint8Array(0)
  let size = 0
  return {
    write(bytes) {
      if (head.length < headBytes) head = joinChunks([head, bytes.subarray(0, headBytes - head.length)])
      size += bytes.length
      hash.update(bytes)
    },
    finish: () => ({ name, size, sha256: hash.hex(), head }),
  }
}

const unreadableForm = (reason: string) =>
  new ApiError('INVALID_JSON', { reason }, `The body is not readable multipart/form-data: ${reason}.`)
