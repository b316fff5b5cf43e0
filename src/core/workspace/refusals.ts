/** Errors of creating and deleting workspaces, the same in every runtime. */
import { ApiError } from '../../protocol/platform/errors.js'

export const nameTakenError = (name: string): ApiError =>
  new ApiError('CONFLICT', { name }, { message: `A workspace named ${name} already exists.` })

export const workspaceLimitError = (max: number): ApiError =>
  new ApiError('CONFLICT', { max }, { message: `The limit of ${max} workspaces is reached. Delete one first.` })

export const unknownWorkspaceError = (name: string): ApiError =>
  new ApiError('NOT_FOUND', { workspace: name }, { message: `There is no workspace ${name}.` })

/** 422 INVALID_VALUE for `default`, which every sandbox has. */
export function requireDeletable(name: string): void {
  if (name === 'default')
    throw new ApiError('INVALID_VALUE', {
      field: 'name',
      rule: 'the workspace default cannot be deleted; reset it instead',
    })
}
