/**
 * How a feature joins the sandbox. A feature is a folder of `src/features`; `feature.ts` in it exports one object of this
 * type. The composition roots beside the folders list these objects (`node.ts`, `workers.ts`, `objects.ts`), and pages,
 * styles and library functions, which are bundled separately (`pages.ts`, `pages.css`, `library.ts`). Nothing else names
 * the feature: without the folder and its lines in these files, the rest builds and works.
 *
 * Code loads on first use: `feature.ts` imports tables, and reaches everything else with `import()`.
 */
import type { CommandTable } from './cli/command.js'
import type { Job, RouteSet } from './http/host.js'

export interface Feature {
  /**
   * Rows of the control API with a handler for each. Validation, the OpenAPI document and the client's types follow from
   * a row; with `tool`, agents can call it.
   */
  readonly routes?: readonly RouteSet[]
  /** Functions that run in another thread, so that other callers do not wait. Handlers start them by name (`host.runJob`). */
  readonly jobs?: Readonly<Record<string, Job>>
  /** Rows of commands. Help, completion and the page of the command line follow from them. */
  readonly commands?: CommandTable
}
