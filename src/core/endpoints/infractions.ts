/** Handlers of disputes: list, detail, and the merchant's reply with files (§4.3, decision 27). */

import { isoUtc } from '../../base/iso.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { bodyLimits } from '../../protocol/platform/limits.js'
import { respond } from '../operations/dispute.js'
import { listDisputes } from '../operations/lists.js'
import { repliesTo, requireDispute } from '../operations/transactions.js'
import { asNumber, disputeItem, replyItem } from '../operations/views.js'
import type { Call, Handler, UploadedFile } from './handler.js'

export const infractionList: Handler<'infractionList'> = ({ unit, caller }, request) => {
  const page = request.page ?? 1
  const pageSize = request.page_size ?? unit.config.pageSize
  const { rows, total } = listDisputes(unit.db, caller.account.seq, request, {
    limit: pageSize,
    offset: (page - 1) * pageSize,
  })
  return {
    items: rows.map((row) => disputeItem(row, asNumber)),
    pagination: { page, page_size: pageSize, total, total_pages: Math.ceil(total / pageSize) },
  }
}

/** Returns the caller's dispute. Another account's dispute gives the same error as an unknown one. */
function requireOwnDispute({ unit, caller }: Call, id: string) {
  const dispute = requireDispute(unit.db, id.toLowerCase())
  if (dispute.accountSeq === caller.account.seq) return dispute
  throw new ApiError('NOT_FOUND', { object: 'dispute', id }, { message: `There is no dispute ${id}.` })
}

export const infractionDetail: Handler<'infractionDetail'> = (call, { id }) => {
  const dispute = requireOwnDispute(call, id)
  return {
    ...disputeItem(dispute, asNumber),
    replies: repliesTo(call.unit.db, dispute.id).map(replyItem),
  }
}

export const infractionReply: Handler<'infractionReply'> = (call, { id, message }) => {
  const dispute = requireOwnDispute(call, id)
  const files = describeFiles(call.files)
  const { replyId } = respond(call.unit, dispute, { message, files })
  return {
    infraction_id: dispute.id,
    transaction_id: dispute.transactionId,
    reply_id: replyId,
    status: 'responded',
    files,
    responded_at: isoUtc(call.unit.atMs),
  }
}

/** File types are recognized by content, not by name. */
const signatures = [
  { type: 'application/pdf', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { type: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
] as const

/** Returns name, size, type and SHA-256 of each file; throws 422 INVALID_VALUE for too many, too large or unsupported files. */
function describeFiles(files: readonly UploadedFile[]) {
  if (files.length > bodyLimits.files) throw fileError(`at most ${bodyLimits.files} files`)
  return files.map(({ name, size, sha256, head }) => {
    if (size > bodyLimits.fileBytes) throw fileError(`${name} is larger than ${bodyLimits.fileBytes / 1024 / 1024} MB`)
    const known = signatures.find((signature) => signature.bytes.every((byte, index) => head[index] === byte))
    if (known === undefined) throw fileError(`${name} is neither PDF, JPG nor PNG`)
    return { name: name.slice(0, 255), size, type: known.type, sha256 }
  })
}

const fileError = (rule: string) =>
  new ApiError('INVALID_VALUE', { field: 'files[]', rule }, { message: `files[]: ${rule}.` })
