/** The bindings of a deployment: its Durable Objects, variables and secrets. */

import type { CreatedWorkspace } from '../../http/host.js'
import type { ObjectsByName } from './runtime.js'
import type { Variables } from './settings.js'

/** Methods that Durable Objects call on each other. Errors lose their class in such calls, so rejections are return values. */
export interface WorkspaceMethods {
  /** Creates the workspace of this object; `tokenHash` is the SHA-256 of its admin token. */
  createWorkspace(name: string, tokenHash: string | null): Promise<CreatedWorkspace>
  /** Deletes the workspace with all its data. */
  deleteWorkspace(): Promise<void>
}

export interface WorkspaceDirectoryMethods {
  /** Returns at most `limit` names in order, starting after `after`. */
  names(after: string, limit: number): Promise<string[]>
  has(name: string): Promise<boolean>
  add(name: string): Promise<'added' | 'taken' | 'full'>
  /** Returns whether the name existed. */
  remove(name: string): Promise<boolean>
}

export interface Bindings extends Variables {
  readonly WORKSPACES: ObjectsByName<WorkspaceMethods>
  readonly DIRECTORY: ObjectsByName<WorkspaceDirectoryMethods>
  /** The objects of features, by the name of their binding. */
  readonly [feature: string]: unknown
  /** The operator's token. If it is not set, only a local deployment is accessible. */
  readonly PAYMENTS_SANDBOX_OPERATOR_TOKEN?: string
}

/** Returns the directory; there is only one. */
export const directoryOf = ({ DIRECTORY }: Bindings) => DIRECTORY.getByName('directory')
