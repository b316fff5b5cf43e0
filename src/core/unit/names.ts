/** Valid names of workspaces and snapshots: distinct on every file system. */
import { ApiError } from '../../protocol/platform/errors.js'

const pattern = /^[a-z0-9][a-z0-9_-]{0,49}$/
const rule = 'must be 1 to 50 of a-z, 0-9, hyphen and underscore, and begin with a letter or digit'

export const isName = (text: string): boolean => pattern.test(text)

/** Throws 422 INVALID_VALUE. */
export function requireName(text: string): string {
  if (isName(text)) return text
  throw new ApiError('INVALID_VALUE', { field: 'name', rule }, { message: `name ${rule}.` })
}
